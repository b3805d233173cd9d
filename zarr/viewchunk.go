package zarr

import (
	"bytes"
	"context"
	"sync"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// storedBlocks are the blocks of a Blosc2 array.
type storedBlocks struct {
	frame  *frame.Snapshot
	chunk  []int64 // items along each dimension of a chunk
	block  []int64
	blocks []int64 // blocks of a chunk along each dimension, the last one perhaps not full
	chunks []int64 // chunks of the array
	size   int64   // bytes of a block
}

// A viewWorker makes chunks, one at a time.
type viewWorker struct {
	*View
	repacker *chunk.Repacker
	encoder  *encoder
	items    []byte
	blocks   []int
}

// constantChunk is a chunk of equal items.
type constantChunk struct {
	mu            sync.Mutex
	item, encoded []byte
}

// copied appends a chunk that consists of blocks as they are stored. It returns false if there is
// no such chunk.
func (w *viewWorker) copied(ctx context.Context, dst []byte, at []int64, fill []byte) ([]byte, bool, error) {
	s := w.stored
	number, ok := w.place(at)
	if !ok || number >= int64(s.frame.NumChunks()) {
		return dst, false, nil
	}

	info, err := s.frame.Peek(int(number))
	if err != nil {
		return dst, false, err
	}

	if info.Kind != chunk.SpecialNone {
		item, err := w.special(int(number))
		if err != nil || item == nil {
			return dst, false, err
		}
		dst, err = w.constant(dst, item, fill)
		return dst, err == nil, err
	}

	l := info.Header.Layout()
	if int64(l.BlockSize) != s.size || int64(l.NumBlocks) != volume(s.blocks) {
		return dst, false, nil
	}
	return s.frame.Inside().Repack(ctx, w.repacker, dst, int(number), info.Header, w.blocks)
}

// place sets the blocks that a chunk of the view consists of, and returns the chunk that they are
// in. It returns false if the chunk has items of several chunks, or of parts of blocks.
func (w *viewWorker) place(at []int64) (number int64, ok bool) {
	s := w.stored
	var first grid.Vec // block, in the chunk

	for d, n := range at {
		start := n * w.chunks[d]
		c := start / s.chunk[d]
		off := start % s.chunk[d]
		if off%s.block[d] != 0 || min(start+w.chunks[d], w.shape[d]) > (c+1)*s.chunk[d] ||
			off+w.chunks[d] > s.blocks[d]*s.block[d] {
			return 0, false
		}
		first[d] = off / s.block[d]
		number = number*s.chunks[d] + c
	}

	w.blocks = w.blocks[:0]
	count := int64(1)
	for d := range at {
		count *= w.chunks[d] / s.block[d]
	}

	for i := range count {
		block := int64(0)
		rest := i
		unit := int64(1)
		for d := len(at) - 1; d >= 0; d-- {
			n := w.chunks[d] / s.block[d]
			block += (first[d] + rest%n) * unit
			rest /= n
			unit *= s.blocks[d]
		}
		w.blocks = append(w.blocks, int(block))
	}
	return number, true
}

// special returns the item that a special chunk repeats, or nil if it repeats something else.
func (w *viewWorker) special(number int) ([]byte, error) {
	encoded, err := w.stored.frame.EncodedChunk(nil, number)
	if err != nil {
		return nil, err
	}

	item, err := chunk.SpecialItem(nil, encoded)
	if err != nil || len(item) == 0 || w.dtype.Size()%len(item) != 0 {
		return nil, err
	}
	return bytes.Repeat(item, w.dtype.Size()/len(item)), nil
}

// constant appends a chunk whose items all are the same.
func (w *viewWorker) constant(dst, item, fill []byte) ([]byte, error) {
	if bytes.Equal(item, fill) {
		return dst, nil
	}

	c := &w.last
	c.mu.Lock()
	encoded := c.encoded
	known := bytes.Equal(c.item, item)
	c.mu.Unlock()
	if !known {
		w.items = slab.Resize(w.items, w.size)
		repeat(w.items, item)
		var err error
		if encoded, err = w.encode(w.items); err != nil {
			return dst, err
		}

		c.mu.Lock()
		c.item = item
		c.encoded = encoded
		c.mu.Unlock()
	}
	return append(dst, encoded...), nil
}

// encoded appends a chunk after reading its items.
func (w *viewWorker) encoded(ctx context.Context, dst []byte, at []int64, fill []byte) ([]byte, error) {
	start := make([]int64, len(at))
	stop := make([]int64, len(at))
	box := int64(w.dtype.Size())
	full := true

	for d, n := range at {
		start[d] = n * w.chunks[d]
		stop[d] = min(start[d]+w.chunks[d], w.shape[d])
		box *= stop[d] - start[d]
		full = full && stop[d]-start[d] == w.chunks[d]
	}

	w.items = slab.Resize(w.items, w.size)
	if full {
		if err := w.src.ReadBytes(ctx, w.items, start, stop); err != nil {
			return dst, err
		}
	} else if err := w.readEdge(ctx, start, stop, box, fill); err != nil {
		return dst, err
	}

	if fill != nil && constant(w.items, fill) {
		return dst, nil
	}

	encoded, err := w.encode(w.items)
	return append(dst, encoded...), err
}

// readEdge reads a chunk that reaches beyond the array.
func (w *viewWorker) readEdge(ctx context.Context, start, stop []int64, box int64, fill []byte) error {
	items := fresh.Make[byte](box)
	if err := w.src.ReadBytes(ctx, items, start, stop); err != nil {
		return err
	}

	if fill != nil {
		repeat(w.items, fill)
	} else {
		clear(w.items)
	}

	var plan grid.Box
	if err := plan.Set(w.part, start, stop); err != nil {
		return err
	}

	var scratch grid.Scratch
	for i := range plan.Pieces {
		piece := plan.Take(i, &scratch)
		piece.Gather(w.items, 0, items)
	}
	return nil
}

// encode returns an encoded chunk in memory of its own.
func (w *viewWorker) encode(items []byte) ([]byte, error) {
	if w.encoder == nil {
		p := w.pack
		p.codec = codecs.LZ4
		p.level = recodeLevel
		var err error
		if w.encoder, err = p.encoder(); err != nil {
			return nil, err
		}
	}
	return w.encoder.encode(items)
}

func newStoredBlocks(f *frame.Snapshot, u *ndarray.Untyped) *storedBlocks {
	chunks, block := u.Grid()
	s := &storedBlocks{frame: f, chunk: chunks, block: block, size: int64(u.DType().Size())}
	for d, n := range u.Shape() {
		if chunks[d] <= 0 || block[d] <= 0 {
			return nil
		}
		s.size *= block[d]
		s.blocks = append(s.blocks, ceil(chunks[d], block[d]))
		s.chunks = append(s.chunks, ceil(n, chunks[d]))
	}
	return s
}

func ceil(n, by int64) int64 { return (n + by - 1) / by }

func volume(shape []int64) int64 {
	n := int64(1)
	for _, m := range shape {
		n *= m
	}
	return n
}

// divisor returns the largest divisor of n that is at most most, or 1.
func divisor(n, most int64) int64 {
	for i := min(n, most); i > 1; i-- {
		if n%i == 0 {
			return i
		}
	}
	return 1
}
