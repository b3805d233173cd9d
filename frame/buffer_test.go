package frame

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// TestTheSameFrameWithAnyNumberOfWorkers makes whole frames with every codec, in memory that other frames have used.
func TestTheSameFrameWithAnyNumberOfWorkers(t *testing.T) {
	for _, row := range codecs.Rows() {
		for _, filter := range []shuffle.Spec{shuffle.Byte, shuffle.Bit} {
			var want []byte
			for _, workers := range []int{1, 2, 3, 8} {
				f, err := New(&Options{TypeSize: 4, Codec: codecs.ByID(row.ID), Filters: []shuffle.Spec{filter}, BlockSize: 4 << 10, Workers: workers})
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

// TestLentChunksOutliveTheFrame checks that no memory which a caller may hold is used again.
func TestLentChunksOutliveTheFrame(t *testing.T) {
	f, err := New(&Options{TypeSize: 4})
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
		g, err := New(&Options{TypeSize: 4})
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
