package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/remains"
	"github.com/cairn-go/cairn/storage"
)

// bombOf makes a frame of n zero chunks of size bytes each.
func bombOf(t *testing.T, n, size int64) *Frame {
	t.Helper()
	f := must(New(&Options{ChunkSize: int(size)}))
	if err := f.AppendSpecial(noContext, chunk.SpecialZeros, n*size); err != nil {
		t.Fatal(err)
	}
	return f
}

// quickly fails the test if run takes too long or too much memory.
func quickly(t *testing.T, most uint64, run func()) {
	t.Helper()
	begin := time.Now()
	if bytes := allocated(run); bytes > most {
		t.Errorf("allocated %d bytes", bytes)
	}
	if d := time.Since(begin); d > 20*time.Second { // it takes milliseconds, or minutes if it fails
		t.Errorf("took %v", d)
	}
}

func TestSalvageOfShortFilesThatStateMillionsOfChunks(t *testing.T) {
	const n = 200_000_000
	b := must(bombOf(t, n, 1<<30).Bytes())
	w := &wreck{fs: storage.NewMemory()}
	w.put(t, "in", b)
	torn := bytes.Clone(b)
	clear(torn[1:9])
	clear(torn[len(torn)-16:])
	w.put(t, "torn", torn)
	quickly(t, 8<<20, func() {
		for _, name := range []string{"in", "torn"} {
			r, err := Salvage(noContext, name, name+".out", &SalvageOptions{FS: w.fs})
			if err == nil && r.Info.NumChunks != n || err != nil && name == "in" {
				t.Errorf("%s: %d chunks, %v", name, r.Info.NumChunks, err)
			}
		}
	})
	f := must(Open("in", &OpenOptions{FS: w.fs, Mode: ReadWrite}))
	defer f.Abort()
	quickly(t, 8<<20, func() {
		if err := f.Update(noContext, 77, []byte("another size")); !errors.Is(err, cairn.ErrLimit) {
			t.Errorf("all chunks were stored: %v", err)
		}
	})
}

// TestOneChunkMillionsOfTimes reads an index that repeats the offset of one chunk.
func TestOneChunkMillionsOfTimes(t *testing.T) {
	const n = 200_000_000
	f := must(New(&Options{Commits: Commits{Deterministic: true}}))
	must(f.Append(noContext, bytes.Repeat([]byte("some data"), 100)))
	b := must(f.Bytes())
	h, err := format.ParseHeader(b, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	index := must(chunk.AppendSpecial(nil, chunk.SpecialValue, make([]byte, 8), 8*n, 8, 8*n))
	at := int(h.HeaderLen + h.CBytes)
	b = slices.Replace(b, at, bytes.LastIndex(b, remains.TrailerBegins), index...)
	binary.BigEndian.PutUint64(b[format.AtNBytes:], 900*n)
	binary.BigEndian.PutUint64(b[format.AtFrameLen:], uint64(len(b)))
	w := &wreck{fs: storage.NewMemory()}
	w.put(t, "in", b)
	quickly(t, 8<<20, func() {
		r, err := Verify(noContext, "in", &OpenOptions{FS: w.fs})
		if err != nil || len(r.Overlap) == 0 || r.Special != 1 && r.Special != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		s, err := Salvage(noContext, "in", "out", &SalvageOptions{FS: w.fs})
		if !errors.Is(err, cairn.ErrLimit) {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

func TestCommitOfMillionsOfEqualEntriesIsQuick(t *testing.T) {
	f := bombOf(t, 50_000_000, 100)
	defer f.Abort()
	if err := f.Update(noContext, 30_000_000, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	quickly(t, 100<<20, func() {
		if err := f.Commit(noContext); err != nil {
			t.Fatal(err)
		}
	})
	if info := must(f.Chunk(30_000_000)); info.InIndex && info.Kind != chunk.SpecialZeros {
		t.Fatalf("%+v", info)
	}
}

func TestInvalidLevels(t *testing.T) {
	w := wreckOf(t, 3, false, false)
	b := bytes.Clone(w.raw)
	b[format.AtCodec] |= 0xf0
	clear(b[len(b)-16:]) // without checksums, which would find the damage
	b[format.AtGeneral+0x56-format.AtGeneral] = 0
	w.put(t, "in", b)
	w.saved(t, nil, nil)
	f := must(Open("in", &OpenOptions{FS: w.fs, Mode: ReadWrite}))
	defer mustClose(t, f)
	must(f.Append(noContext, w.chunks[0]))
}

// TestOneChunkFileMillionsOfTimes reads an index of a sparse frame that repeats the number of one
// chunk file.
func TestOneChunkFileMillionsOfTimes(t *testing.T) {
	const n = 200_000_000
	fs := storage.NewMemory()
	f := must(Create("in", &Options{FS: fs, Sparse: true, Commits: Commits{Deterministic: true}}))
	must(f.Append(noContext, bytes.Repeat([]byte("some data"), 100)))
	mustClose(t, f)
	b := readAll(t, fs, "in/"+sparseIndex)
	h, err := format.ParseHeader(b, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	index := must(chunk.AppendSpecial(nil, chunk.SpecialValue, make([]byte, 8), 8*n, 8, 8*n))
	b = slices.Replace(b, int(h.HeaderLen), bytes.LastIndex(b, remains.TrailerBegins), index...)
	binary.BigEndian.PutUint64(b[format.AtNBytes:], 900*n)
	binary.BigEndian.PutUint64(b[format.AtFrameLen:], uint64(len(b)))
	w := &wreck{fs: fs}
	w.put(t, "in/"+sparseIndex, b)
	quickly(t, 8<<20, func() {
		if _, err := Verify(noContext, "in", &OpenOptions{FS: fs}); err != nil {
			t.Error(err)
		}
		f := must(Open("in", &OpenOptions{FS: fs, Mode: ReadWrite}))
		mustClose(t, f)
	})
}

// TestBlockSizesOfAChunkThatStatesABillion asks for the sizes of the blocks of a chunk of 32 bytes
// that states a billion blocks.
func TestBlockSizesOfAChunkThatStatesABillion(t *testing.T) {
	c := must(chunk.AppendSpecial(nil, chunk.SpecialValue, []byte{7}, 1<<30, 1, 1))
	f := must(New(nil))
	defer f.Abort()
	must(f.AppendEncoded(noContext, c))
	b := must(f.Bytes())
	f = must(FromBytes(b, &OpenOptions{Engine: chunk.Engine{Limits: cairn.Limits{MaxAlloc: 1 << 20}}}))
	defer mustClose(t, f)
	quickly(t, 1<<20, func() {
		if sizes, err := f.BlockSizes(0); !errors.Is(err, cairn.ErrLimit) {
			t.Errorf("%d sizes, %v", len(sizes), err)
		}
	})
}
