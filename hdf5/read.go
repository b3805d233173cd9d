package hdf5

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// ReadBytes implements [ndarray.Source]. It reads and decodes the chunks that the box touches, in
// parallel; of items in one piece only those of the box. Errors match [cairn.ErrCorrupt],
// [cairn.ErrChecksum], [cairn.ErrLimit] or [cairn.ErrBounds]; those of the file are wrapped.
func (d *Dataset) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	err := d.check(len(dst), start, stop)
	switch {
	case err != nil || len(dst) == 0:
	case d.convert == nil:
		err = d.readStored(ctx, dst, start, stop)
	case d.convert.inPlace():
		if err = d.readStored(ctx, dst, start, stop); err == nil {
			err = d.convert.run(ctx, d.heap, dst, dst)
		}
	default:
		err = d.eachSlab(ctx, start, stop, func(items []byte) error {
			n := int64(len(items)) / d.convert.from * d.convert.to
			err := d.convert.run(ctx, d.heap, dst[:n], items)
			dst = dst[n:]
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("dataset %q: %w", d.key, err)
	}
	return nil
}

// check returns an error unless a box is within the shape and has n bytes.
func (d *Dataset) check(n int, start, stop []int64) error {
	if len(start) != len(d.shape) || len(stop) != len(d.shape) {
		return fmt.Errorf("box from %v to %v of %d dimensions: %w", start, stop, len(d.shape), cairn.ErrBounds)
	}
	size := int64(d.dtype.Size())
	for i, extent := range d.shape {
		if start[i] < 0 || stop[i] > extent || start[i] > stop[i] {
			return fmt.Errorf("box from %v to %v of shape %v: %w", start, stop, d.shape, cairn.ErrBounds)
		}
		size *= stop[i] - start[i]
	}
	if int64(n) != size {
		return fmt.Errorf("%d bytes for the box from %v to %v, want %d: %w", n, start, stop, size, cairn.ErrBounds)
	}
	return nil
}

// slabBytes is how many bytes of items are held while they are converted.
const slabBytes = 1 << 20

// eachSlab calls do with the items of a box as they are in the file, some at a time, in C order.
func (d *Dataset) eachSlab(ctx context.Context, start, stop []int64, do func(items []byte) error) error {
	chunk, _ := d.Grid()
	edge := slab.Runs(start, stop, chunk, chunk, d.item.Size, slabBytes)
	var items []byte
	for box := range slab.Walk(start, stop, edge) {
		n := box.Items() * d.item.Size
		if int64(cap(items)) < n {
			items = make([]byte, n)
		}
		if err := d.readStored(ctx, items[:n], box.Start, box.Stop); err != nil {
			return err
		}
		if err := do(items[:n]); err != nil {
			return err
		}
	}
	return nil
}

// readStored reads the items of a box as they are in the file.
func (d *Dataset) readStored(ctx context.Context, dst []byte, start, stop []int64) error {
	if d.flat != nil {
		return d.flat.ReadBytes(ctx, dst, start, stop)
	}
	var box grid.Box
	if err := box.Set(d.part, start, stop); err != nil || box.Pieces == 0 {
		return err
	}
	count := min(box.Pieces, parallel.Workers(d.file.workers))
	workers := make([]*chunkWorker, count)
	for i := range workers {
		w, ok := d.idle.Get().(*chunkWorker)
		if !ok {
			w = &chunkWorker{}
		}
		workers[i] = w
	}
	defer func() {
		for _, w := range workers {
			w.scratch.Reset()
			d.idle.Put(w)
		}
	}()
	return parallel.For(ctx, count, box.Pieces, func(k, i int) error {
		return d.readChunk(ctx, workers[k], box.Take(i, &workers[k].scratch), dst)
	})
}

// A chunkWorker is the memory of one goroutine.
type chunkWorker struct {
	scratch grid.Scratch
	raw     []byte // a chunk as it is stored
	items   []byte // of a chunk
}

// readChunk reads a chunk and puts its items into their places.
func (d *Dataset) readChunk(ctx context.Context, w *chunkWorker, piece grid.ChunkPiece, dst []byte) error {
	rank := len(d.space.Shape)
	var at grid.Vec
	edge := false
	rest := piece.Chunk
	for i := d.part.Dims - 1; i >= 0; i-- {
		at[i] = rest % d.part.ChunkGrid[i]
		rest /= d.part.ChunkGrid[i]
		edge = edge || at[i] == d.part.ChunkGrid[i]-1 && d.part.Shape[i]%d.part.Chunk[i] != 0
	}
	r := d.file.format.In(ctx)
	place, err := r.Chunk(d.index, at[:rank])
	if err != nil {
		return err
	}
	if place.Address < 0 {
		piece.Fill(dst, d.fill)
		return nil
	}
	direct := piece.Direct(dst, 0)
	items := direct
	if direct == nil {
		w.items = resized(w.items, d.part.ChunkSize)
		items = w.items
	}
	plain := len(d.filters) == 0 || edge && d.layout.PlainEdges
	if plain {
		if place.Size != d.part.ChunkSize {
			err = cairn.Corruptf("chunk", -1, "%d bytes, want %d", place.Size, d.part.ChunkSize)
		} else {
			err = r.ReadAt("chunk", items, place.Address)
		}
	} else {
		if most := 2*d.part.ChunkSize + minEncoded; place.Size > most {
			err = fmt.Errorf("%d bytes, the most is %d: %w", place.Size, most, cairn.ErrLimit)
		} else {
			w.raw = resized(w.raw, place.Size)
			if err = r.ReadAt("chunk", w.raw, place.Address); err == nil {
				err = filter.Decode(items, w.raw, d.filters, place.Mask)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("chunk %v: %w", at[:rank], err)
	}
	if direct == nil {
		piece.Scatter(dst, 0, items)
	}
	return nil
}

// minEncoded is how many bytes a chunk of a few items may have, whatever its filters add.
const minEncoded = 1 << 16

// resized returns memory of n bytes: b if it suffices.
func resized(b []byte, n int64) []byte {
	if int64(cap(b)) < n {
		return make([]byte, n)
	}
	return b[:n]
}
