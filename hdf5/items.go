package hdf5

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/internal/strided"
)

// openItems finds out where the items are.
func (d *Dataset) openItems(r *format.Reader) error {
	size := d.bytes()
	have := int64(len(d.layout.Data))

	switch d.layout.Class {
	case format.Compact:
		d.flat = newFlat(bytes.NewReader(d.layout.Data), 0, d)
	case format.Contiguous:
		at := d.layout.Address
		if at == format.None {
			// Set up a dataset without items: a grid of chunks, none of which exists.
			one := slices.Repeat([]int64{1}, len(d.space.Shape))
			d.layout.Chunk = slab.Chunked(d.space.Shape, one, d.datatype.Size, missingBytes)
			d.layout.ItemSize = d.datatype.Size
			return d.openChunked()
		}
		if r.Outside(at, size) {
			return cairn.Corruptf("dataset", -1, "%d bytes of items at address %d of a file of %d", size, at, r.Size())
		}
		have = d.layout.Size
		if have == format.None {
			have = size
		}
		d.flat = newFlat(r.Underlying(), r.Base()+at, d)
	default:
		return d.openChunked()
	}

	if have < size {
		return cairn.Corruptf("dataset", -1, "%d bytes of items, want %d", have, size)
	}
	if len(d.filters) > 0 {
		return cairn.Corruptf("dataset", -1, "filters without chunks")
	}
	return nil
}

// bytes returns the size of all items in the file.
func (d *Dataset) bytes() int64 {
	n, _ := grid.Product(append([]int64{d.item.Size}, d.shape...))
	return n
}

// flat is items in one piece.
type flat struct {
	file   strided.File
	layout strided.Layout
	shape  []int64
}

func newFlat(r io.ReaderAt, off int64, d *Dataset) *flat {
	return &flat{strided.File{File: r, Base: off, Name: "dataset"}, strided.Packed(d.shape, d.item.Size), d.shape}
}

// flatBytes is the least that a goroutine reads of items in one piece, and about the size of the
// boxes that are cheap to read at once.
const flatBytes = 1 << 20

// read reads a box that is not empty, in parallel if it has many items. A file that is read by
// requests gets them in parallel anyway.
func (f *flat) read(ctx context.Context, workers int, dst []byte, start, stop []int64) error {
	workers = min(workers, len(dst)/flatBytes)
	if workers < 2 {
		return f.file.ReadBox(ctx, dst, f.layout, start, stop)
	}

	one := slices.Repeat([]int64{1}, len(start))
	edge := slab.Runs(start, stop, one, one, f.layout.Item, flatBytes)
	type job struct {
		slab.Box
		dst []byte
	}

	var jobs []job
	for box := range slab.Walk(start, stop, edge) {
		n := box.Items() * f.layout.Item
		jobs = append(jobs, job{slab.Box{Start: slices.Clone(box.Start), Stop: slices.Clone(box.Stop)}, dst[:n]})
		dst = dst[n:]
	}

	return parallel.For(ctx, workers, len(jobs), func(_, i int) error {
		return f.file.ReadBox(ctx, jobs[i].dst, f.layout, jobs[i].Start, jobs[i].Stop)
	})
}

// missingBytes is the size of the chunks of a dataset that has none.
const missingBytes = 1 << 20

// openChunked sets up a grid of chunks.
func (d *Dataset) openChunked() error {
	rank := len(d.space.Shape)
	if len(d.layout.Chunk) != rank || d.layout.ItemSize != d.datatype.Size {
		return cairn.Corruptf("data layout message", -1, "chunks %v of %d bytes for a shape %v of %d", d.layout.Chunk,
			d.layout.ItemSize, d.space.Shape, d.datatype.Size)
	}

	if err := filter.Check(d.filters); err != nil {
		return err
	}

	chunk := append(slices.Clone(d.layout.Chunk), d.shape[rank:]...)
	size, ok := grid.Product(append([]int64{d.item.Size}, chunk...))
	if most := d.file.format.Limits.MaxChunk; !ok || size > most {
		return fmt.Errorf("chunks %v of %d bytes an item, the most is %d bytes: %w", chunk, d.item.Size, most, cairn.ErrLimit)
	}

	var err error
	if d.part, err = grid.New(d.shape, chunk, chunk, d.item.Size); err != nil {
		return cairn.Corruptf("data layout message", -1, "%v", err)
	}

	d.index, err = format.NewIndex(d.layout, d.space, size, len(d.filters) > 0)
	d.openChunks()
	return err
}
