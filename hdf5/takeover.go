package hdf5

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// Chunks of a source that has the same ones, encoded by the same filters, are taken over as they
// are stored. If the last filter is a checksum, it is compared; what other filters would have found
// out of place stays, unless [CreateOptions.Checked] has each chunk decoded. What the source has
// not stored, or stored otherwise, is read and encoded.

// chunksOfSource returns the chunks of the source that can be taken over, or nil, and whether each
// chunk is best read on its own: the source has the same ones, or all its boxes are equally cheap.
func (d *newDataset) chunksOfSource(ctx context.Context) (stored *chunked.Stored, alone bool, err error) {
	if hasVariable(d.datatype) {
		return nil, false, nil
	}
	src := d.src.Inside()
	stored, err = src.StoredChunks(ctx)
	if err != nil || stored == nil || stored.Find == nil {
		return nil, src.AnyBox(), err
	}

	own := &chunked.Stored{Chunk: d.layout.Chunk}
	for _, f := range d.filters {
		own.Filters = append(own.Filters, chunked.Filter{ID: uint16(f.ID), Params: f.Params})
	}
	if own.Equal(stored) {
		return stored, true, nil
	}
	return nil, slices.Equal(own.Chunk, stored.Chunk), nil
}

// eachChunk writes the chunks, each of which is taken over or read on its own.
func (d *newDataset) eachChunk(ctx context.Context, part *grid.Partition, workers []chunkWorker,
	stored *chunked.Stored) error {
	size := part.ItemSize
	total := size
	for _, n := range d.shape {
		total *= n
	}
	var all grid.Box
	if err := all.Set(part, make([]int64, part.Dims), d.shape); err != nil {
		return err
	}

	reads := parallel.AtMost(ctx, 1)
	err := parallel.Ordered(ctx, len(workers), int(part.ChunkCount), func(k, i int) error {
		w := &workers[k]
		if err := d.writeLast(w); err != nil {
			return err
		}
		e := <-d.free
		defer func() { d.free <- e }()

		if d.memory != nil && stored == nil {
			return w.encode(e, &all, i, d.memory, d.fill)
		}

		start, stop := part.ChunkBox(int64(i))
		b := slab.Box{Start: start[:part.Dims], Stop: stop[:part.Dims]}
		w.number = int64(i)
		taken, err := w.takeOver(ctx, e, stored, b)
		if taken || err != nil {
			return err
		}

		e.items = slab.Resize(e.items, b.Items()*size)
		if err := d.src.ReadBytes(reads, e.items, b.Start, b.Stop); err != nil {
			return err
		}
		var box grid.Box
		if err := box.Set(part, b.Start, b.Stop); err != nil {
			return err
		}
		err = w.encode(e, &box, 0, e.items, d.fill)
		if len(w.stored) > 0 && &w.stored[0] == &e.items[0] {
			// There the encoder has another chunk before this one is written.
			w.encoded, e.items = e.items, w.encoded
		}
		return err
	}, func(k, i int) error {
		if err := d.store(&workers[k]); err != nil {
			return err
		}
		if d.w.o.Progress != nil {
			d.w.o.Progress(part.ItemsBefore(int64(i)+1)*size, total)
		}
		return nil
	})
	return d.writeRest(workers, err)
}

// takeOver takes a chunk over as it is stored, and reports whether it has.
func (w *chunkWorker) takeOver(ctx context.Context, e *chunkEncoder, stored *chunked.Stored,
	b slab.Box) (taken bool, err error) {
	if stored == nil {
		return false, nil
	}
	place, err := stored.Find(ctx, b.Start, b.Stop)
	if err != nil || place.Source == nil {
		return false, err
	}

	if place.Close != nil {
		defer func() { err = errors.Join(err, place.Close()) }()
	}

	w.taken = slab.Resize(w.taken, place.Size)
	err = place.Source.ReadAt(ctx, w.taken, place.Off)
	if err == nil {
		err = filter.CheckSum(w.taken, w.filters, place.Mask)
	}
	if err == nil && e.check != nil {
		err = e.check.Decode(e.back, w.taken, place.Mask)
	}
	if err != nil {
		return false, fmt.Errorf("chunk from %v on: %w", b.Start, err)
	}
	w.stored = w.taken
	w.runs = w.runs[:0]
	w.mask = place.Mask
	return true, nil
}
