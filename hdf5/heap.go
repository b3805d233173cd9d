package hdf5

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
)

// A heapReader reads items of variable length. Any number of goroutines may use it.
type heapReader struct {
	file *File

	mu    sync.Mutex
	kept  map[int64]*format.Collection
	bytes int64

	left int64 // bytes of text that may still be measured, by one goroutine
}

// mostHeapKept is the most bytes of collections that are kept, besides the last one.
const mostHeapKept = 16 << 20

// object returns the elements of size bytes that a reference leads to, which the caller must not
// change; nil if there are none.
func (h *heapReader) object(ctx context.Context, ref format.HeapRef, size int64) ([]byte, error) {
	if ref.Count == 0 {
		return nil, nil
	}
	g, err := h.collection(ctx, ref.Collection)
	if g == nil || err != nil {
		return nil, err
	}
	return g.Object(ref, size)
}

// collection returns the collection at an address; nil if there is none.
func (h *heapReader) collection(ctx context.Context, at int64) (*format.Collection, error) {
	if at == format.None || at == 0 {
		return nil, nil
	}
	h.mu.Lock()
	g := h.kept[at]
	h.mu.Unlock()
	if g != nil {
		return g, nil
	}

	g, err := h.file.format.In(ctx).Collection(at)
	if err == nil {
		h.keep(at, g)
	}
	return g, err
}

func (h *heapReader) keep(at int64, g *format.Collection) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kept == nil || h.bytes+g.Size() > mostHeapKept {
		h.kept = map[int64]*format.Collection{}
		h.bytes = 0
	}

	if h.kept[at] == nil {
		h.kept[at] = g
		h.bytes += g.Size()
	}
}

// text returns the string that a reference leads to, up to its first zero byte.
func (h *heapReader) text(ctx context.Context, ref []byte) ([]byte, error) {
	b, err := h.object(ctx, h.file.format.HeapRef(ref), 1)
	text, _, _ := bytes.Cut(b, []byte{0})
	return text, err
}

// textOf returns the text of an item: a string, a sequence as a list of JSON, or the key of the
// object that a reference leads to. That is empty if it leads nowhere, and tells the address of an
// object without a key.
func (h *heapReader) textOf(ctx context.Context, d *format.Datatype, item []byte) ([]byte, error) {
	switch {
	case isSequence(d):
		w := &sequenceWriter{ctx: ctx, heap: h}
		err := w.sequence(item, d)
		return w.b, err
	case d.Class != format.Reference:
		return h.text(ctx, item)
	case d.RefKind == format.RegionReference:
		return h.region(ctx, item)
	}

	at, err := h.file.format.Address(item)
	if err != nil || at == format.None {
		return nil, err
	}
	return h.keyOf(ctx, at)
}

// keyOf returns the key of the object at an address, or that address.
func (h *heapReader) keyOf(ctx context.Context, at int64) ([]byte, error) {
	key, err := h.file.resolve(ctx, at)
	if errors.Is(err, cairn.ErrNotFound) {
		return fmt.Appendf(nil, "address %d", at), nil
	}
	return []byte(key), err
}
