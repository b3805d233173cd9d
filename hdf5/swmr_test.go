package hdf5

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// TestUnclosed opens files whose writers have crashed. What h5py reads with swmr=True is read; the
// other one h5py refuses too.
func TestUnclosed(t *testing.T) {
	f := openGolden(t, "rare/swmr.h5")
	d, err := f.Dataset(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	v, err := ndarray.ViewAs[int32](d)
	if err != nil {
		t.Fatal(err)
	}
	items, err := v.Read(t.Context())
	if err != nil || len(items) != 80 {
		t.Fatalf("%d items, want 80 (%v)", len(items), err)
	}
	for i, item := range items {
		if item != int32(i/10) {
			t.Fatalf("item %d is %d, want %d", i, item, i/10)
		}
	}

	_, err = Open("testdata/rare/unclosed.h5", nil)
	if !errors.Is(err, cairn.ErrLocked) || !strings.Contains(err.Error(), "h5clear -s") {
		t.Errorf("a file that was not closed: %v", err)
	}
}

// TestGrowing reads a file that grows. What is read later must not be older: a header is read
// before the index of its chunks, and an index from a page of before would lack chunks.
func TestGrowing(t *testing.T) {
	b, err := os.ReadFile("testdata/rare/swmr.h5")
	if err != nil {
		t.Fatal(err)
	}
	r := &reads{Reader: bytes.NewReader(b)}
	f, err := OpenReader(r, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		before := r.n.Load()
		d, err := f.Dataset(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ndarray.ViewOf(d).Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := r.n.Load() - before; n < 9 {
			t.Errorf("%d reads: the index is from memory", n)
		}
	}
}

// reads counts reads.
type reads struct {
	*bytes.Reader
	n atomic.Int64
}

func (r *reads) ReadAt(p []byte, off int64) (int, error) {
	r.n.Add(1)
	return r.Reader.ReadAt(p, off)
}
