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
	if ref.Count == 0 || ref.Collection == format.None || ref.Collection == 0 {
		return nil, nil
	}
	h.mu.Lock()
	g := h.kept[ref.Collection]
	h.mu.Unlock()

	if g == nil {
		var err error
		if g, err = h.file.format.In(ctx).Collection(ref.Collection); err != nil {
			return nil, err
		}
		h.keep(ref.Collection, g)
	}
	return g.Object(ref, size)
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

// textOf returns the text of an item: a string, or the key of the object that a reference leads to.
// That is empty if it leads nowhere, and tells the address of an object without a key.
func (h *heapReader) textOf(ctx context.Context, d *format.Datatype, item []byte) ([]byte, error) {
	if d.Class != format.Reference {
		return h.text(ctx, item)
	}

	at, err := h.file.format.Address(item)
	if err != nil || at == format.None {
		return nil, err
	}

	key, err := h.file.resolve(ctx, at)
	if errors.Is(err, cairn.ErrNotFound) {
		return fmt.Appendf(nil, "address %d", at), nil
	}
	return []byte(key), err
}
