package hdf5

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
)

// TestCheckedChunksAreCompared compares a chunk with what was encoded of it, and of another one.
func TestCheckedChunksAreCompared(t *testing.T) {
	filters := []filter.Filter{{ID: filter.Shuffle, Params: []uint32{4}}, {ID: filter.Deflate, Params: []uint32{4}}}
	items := bytes.Repeat([]byte{1, 2, 3, 4}, 1000)
	var w chunkWorker
	var e chunkEncoder
	var err error
	if e.check, err = filter.NewDecoder(filters); err != nil {
		t.Fatal(err)
	}
	if w.stored, w.mask, err = filter.Encode(nil, items, filters); err != nil {
		t.Fatal(err)
	}
	e.back = make([]byte, len(items))
	if err := w.compare(&e, items); err != nil {
		t.Error(err)
	}

	items[17]++
	if err := w.compare(&e, items); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("of other items: %v", err)
	}
	w.stored = w.stored[:len(w.stored)/2]
	if err := w.compare(&e, items); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("of half a chunk: %v", err)
	}
}
