package frame

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// TestSameFrameWithAnyNumberOfWorkers makes frames with every codec, in buffers that other
// frames have used before.
func TestSameFrameWithAnyNumberOfWorkers(t *testing.T) {
	for _, row := range plainCodecs() {
		for _, filter := range []shuffle.Spec{shuffle.Byte, shuffle.Bit} {
			var want []byte
			for _, workers := range []int{1, 2, 3, 8} {
				f, err := New(&Options{TypeSize: 4, Codec: codecs.ByID(row.ID, 0),
					Filters: []shuffle.Spec{filter}, BlockSize: 4 << 10, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				for i, n := range []int{60_000, 60_000, 60_000, 7_000} {
					if _, err := f.Append(noContext, ramp(n, i)); err != nil {
						t.Fatal(err)
					}
				}
				want1 := ramp(60_000, 1)
				back := make([]byte, len(want1))
				if n, err := f.ReadChunk(noContext, back, 1); n != len(back) || err != nil || !bytes.Equal(back, want1) {
					t.Fatalf("%s, %d workers: chunk 1 came back with %d bytes, %v, or changed", row.Name, workers, n, err)
				}
				got := must(f.Bytes())
				mustClose(t, f)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s, filter %d: the frame that %d workers make is another one", row.Name, filter.ID, workers)
				}
			}
		}
	}
}

// TestLentChunksOutliveTheFrame checks that memory that a caller may hold is not reused.
func TestLentChunksOutliveTheFrame(t *testing.T) {
	f, err := New(&Options{TypeSize: 4, Level: chunk.Stored})
	if err != nil {
		t.Fatal(err)
	}
	var lent, was [][]byte
	for i := range 5 {
		if _, err := f.Append(noContext, ramp(50_000, i)); err != nil {
			t.Fatal(err)
		}
		c := must(f.EncodedChunk(nil, i))
		lent, was = append(lent, c), append(was, bytes.Clone(c))
	}
	mustClose(t, f)
	for range 3 {
		g, err := New(&Options{TypeSize: 4, Level: chunk.Stored})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			if _, err := g.Append(noContext, ramp(50_000, i+9)); err != nil {
				t.Fatal(err)
			}
		}
		mustClose(t, g)
	}
	for i := range lent {
		if !bytes.Equal(lent[i], was[i]) {
			t.Errorf("chunk %d changed after the frame was closed", i)
		}
	}
}

// TestReadersOfAClosedFrame closes frames during reads, while new frames reuse their buffers. Reads
// must return correct data or an error.
func TestReadersOfAClosedFrame(t *testing.T) {
	for round := range 30 {
		f, err := New(&Options{TypeSize: 4, Level: chunk.Stored, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		want := ramp(40_000, round)
		for range 3 {
			if _, err := f.Append(noContext, want); err != nil {
				t.Fatal(err)
			}
		}
		v := f.Snapshot()
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				dst := make([]byte, len(want))
				for {
					n, err := v.ReadChunk(noContext, dst, i)
					if err != nil {
						return
					}
					if !bytes.Equal(dst[:n], want) {
						t.Error("a read beside Close returned other bytes")
						return
					}
					if info, err := v.Chunk(i); err == nil && info.NBytes != len(want) {
						t.Error("a chunk changed its size beside Close")
					}
				}
			})
		}
		mustClose(t, f)
		g, err := New(&Options{TypeSize: 4, Level: chunk.Stored})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if _, err := g.Append(noContext, ramp(40_000, round+i+1)); err != nil {
				t.Fatal(err)
			}
		}
		wg.Wait()
		mustClose(t, g)
	}
}

// TestMemoryFramesAreVerifiedOnRequest damages a chunk of a frame in memory. Only VerifyAlways must
// find it.
func TestMemoryFramesAreVerifiedOnRequest(t *testing.T) {
	for mode, want := range map[VerifyMode]error{VerifyOnFirstTouch: nil, VerifyAlways: cairn.ErrChecksum} {
		f, err := New(&Options{Level: chunk.Stored, Verify: mode})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Append(noContext, make([]byte, 5000)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Append(noContext, bytes.Repeat([]byte("ab"), 2500)); err != nil {
			t.Fatal(err)
		}
		v := f.cur.Load()
		v.oneFile().(storage.Lender).Slice(v.source.place(entryAt(t, v.index, 1)).offset, 100)[99] = 'z'
		if _, err := f.ReadChunk(noContext, make([]byte, 5000), 1); !errors.Is(err, want) {
			t.Errorf("mode %d: %v, want %v", mode, err, want)
		}
		mustClose(t, f)
	}
}

// plainCodecs returns the rows of the codecs that do not need the shape of blocks.
func plainCodecs() []codecs.Row {
	return slices.DeleteFunc(codecs.Rows(), func(r codecs.Row) bool { return r.Shaped })
}
