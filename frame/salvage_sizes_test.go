package frame

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/frame/internal/remains"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// salvageSizes salvages b, which must give chunks of the sizes in want, and returns the report.
func salvageSizes(t *testing.T, b []byte, want ...int) SalvageReport {
	t.Helper()
	w := &wreck{fs: storage.NewMemory()}
	w.put(t, "in", b)
	r, err := Salvage(noContext, "in", "out", &SalvageOptions{FS: w.fs})
	if err != nil {
		t.Fatal(err)
	}
	out := must(Open("out", &OpenOptions{FS: w.fs}))
	defer mustClose(t, out)
	if out.NumChunks() != len(want) {
		t.Fatalf("%d chunks, want %d: %+v", out.NumChunks(), len(want), r)
	}
	for i, size := range want {
		if got := must(out.Chunk(i)).NBytes; got != size {
			t.Errorf("chunk %d has %d bytes, want %d", i, got, size)
		}
	}
	return r
}

// TestLostChunksOfIndividualSizes has a frame without a chunk size, of whose chunks, but the last,
// nothing is left but what they say of themselves. Each is filled with as many bytes, and stays one
// chunk.
func TestLostChunksOfIndividualSizes(t *testing.T) {
	f := must(New(&Options{Commits: Commits{Deterministic: true}}))
	sizes := []int{200, 3012, 300, 900_000, 250, 80}
	for _, n := range sizes {
		must(f.Append(noContext, ramp((n+3)/4, n)[:n]))
	}
	b := must(f.Bytes())
	for i := range 5 {
		at := must(f.Chunk(i)).Offset + chunk.HeaderSize
		clear(b[at : at+8]) // where the first block begins
		if i == 0 {
			// from where on the search takes nothing for a chunk that does not decode
			clear(b[at-chunk.HeaderSize : at])
			sizes[i] = 1
		}
	}
	quickly(t, 8<<20, func() {
		r := salvageSizes(t, b, sizes...)
		if r.LostTotal != 5 || r.Guide != GuideIndex || r.Lost[3].NBytes != 900_000 {
			t.Errorf("%+v", r)
		}
	})
}

// TestSpecialEntriesBehindAnOddChunk has a chunk among others that is shorter than the header says,
// so that the new frame has no chunk size. What the special entries behind it stand for stays as
// many chunks.
func TestSpecialEntriesBehindAnOddChunk(t *testing.T) {
	f := must(New(&Options{Commits: Commits{Deterministic: true}}))
	for _, n := range []int{1000, 500, 1000} {
		must(f.Append(noContext, bytes.Repeat([]byte("some data "), n/10)))
	}
	b := must(f.Bytes())
	zeros, _ := index.Special(chunk.SpecialZeros)
	first := must(f.Chunk(0)).Offset
	x := index.Repeat(1, 0)
	for _, i := range []int{1, 2} {
		x = must(x.Append(must(f.Chunk(i)).Offset - first))
	}
	const behind = 3 * index.LeafLen // so many that the index knows them as a run
	for range behind {
		x = must(x.Append(zeros))
	}
	h := f.cur.Load().head
	at := int(h.HeaderLen + h.CBytes)
	trailer := b[bytes.LastIndex(b, remains.TrailerBegins):]
	b = append(append(b[:at:at], must(new(index.Packer).Append(nil, x))...), trailer...)
	binary.BigEndian.PutUint64(b[format.AtFrameLen:], uint64(len(b)))
	binary.BigEndian.PutUint64(b[format.AtNBytes:], 1000*(3+behind))
	binary.BigEndian.PutUint32(b[format.AtChunkSize:], 1000)
	salvageSizes(t, b, append([]int{1000, 500, 1000}, slices.Repeat([]int{1000}, behind)...)...)
}

// TestLostChunksAmongBlocksOfVariableLength loses the first and another chunk of a frame whose
// chunks have such blocks: they are filled with a chunk of that kind, since a frame has either kind
// only, and the others are kept.
func TestLostChunksAmongBlocksOfVariableLength(t *testing.T) {
	for _, fill := range [][]byte{nil, []byte("4321")} {
		f := must(New(&Options{TypeSize: 4, Commits: Commits{Deterministic: true}}))
		sizes := []int{500, 300, 404, 8}
		for _, n := range sizes {
			must(f.AppendBlocks(noContext, [][]byte{ramp(1, n), ramp((n-4)/4, n)}))
		}
		b := must(f.Bytes())
		for _, i := range []int{0, 2} {
			at := must(f.Chunk(i)).Offset + chunk.HeaderSize
			clear(b[at : at+8]) // where the blocks begin
		}
		w := &wreck{fs: storage.NewMemory()}
		w.put(t, "in", b)
		r, err := Salvage(noContext, "in", "out", &SalvageOptions{FS: w.fs, Fill: func(int, []meta.Layer) ([]byte, error) { return fill, nil }})
		if err != nil || r.Saved != 2 || r.LostTotal != 2 || !r.Info.VLBlocks {
			t.Fatalf("%+v, %v", r, err)
		}
		out := must(Open("out", &OpenOptions{FS: w.fs}))
		for i, n := range sizes {
			want := append(ramp(1, n), ramp((n-4)/4, n)...)
			if i%2 == 0 {
				want = make([]byte, n)
				copy(want, bytes.Repeat(fill, n))
			}
			got := make([]byte, n)
			if k := must(out.ReadChunk(noContext, got, i)); k != n || !bytes.Equal(got, want) {
				t.Errorf("chunk %d: %d bytes, % x", i, k, got[:min(n, 20)])
			}
		}
		mustClose(t, out)
	}
}

// TestLostChunksOfLargeItems has a frame of some hundred bytes whose header says that items have 16
// MiB: no chunk is made up of as much.
func TestLostChunksOfLargeItems(t *testing.T) {
	f := must(New(&Options{Commits: Commits{Deterministic: true}}))
	for k := range 3 {
		must(f.AppendBlocks(noContext, [][]byte{ramp(25, k), ramp(3, k)}))
	}
	b := must(f.Bytes())
	clear(b[must(f.Chunk(1)).Offset:][:chunk.HeaderSize+20])
	binary.BigEndian.PutUint32(b[format.AtTypeSize:], 1<<24)
	w := &wreck{fs: storage.NewMemory()}
	w.put(t, "in", b)
	quickly(t, 6<<20, func() {
		r, err := Salvage(noContext, "in", "out", &SalvageOptions{FS: w.fs})
		if err != nil || r.LostTotal == 0 || r.Saved == 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
