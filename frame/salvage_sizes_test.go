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

// salvageSizes salvages b, checks that the chunks have the sizes in want, and returns the report.
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

// TestLostChunksOfIndividualSizes salvages a variable frame of whose chunks, except the last, only
// the headers are intact. Each lost chunk is filled with the number of bytes in its header.
func TestLostChunksOfIndividualSizes(t *testing.T) {
	f := must(New(&Options{Commits: Commits{Deterministic: true}}))
	sizes := []int{200, 3012, 300, 900_000, 250, 80}
	for _, n := range sizes {
		must(f.Append(noContext, ramp((n+3)/4, n)[:n]))
	}
	b := must(f.Bytes())
	for i := range 5 {
		at := must(f.Chunk(i)).Offset + chunk.HeaderSize
		clear(b[at : at+8]) // the offset of the first block
		if i == 0 {
			// Clear the header too: without its size, the chunk is filled with one item.
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

// TestSpecialEntriesAfterAShorterChunk salvages a frame with one chunk shorter than the chunk size
// in the header, so the new frame is variable. The special entries behind it must still become the
// same number of chunks.
func TestSpecialEntriesAfterAShorterChunk(t *testing.T) {
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
	const behind = 3 * index.LeafLen // enough for a run in the index
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

// TestLostChunksAmongBlocksOfVariableLength damages the first and another chunk of a frame whose
// chunks have blocks of variable length. They must be filled with chunks of the same kind, because
// a frame cannot mix kinds.
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
			clear(b[at : at+8]) // the offsets of the blocks
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

// TestLostChunksOfLargeItems salvages a frame of some hundred bytes whose header states items of 16
// MiB. Lost chunks must not be filled with that many bytes.
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
