package hdf5

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
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

// flatBytes is about the size of boxes of items in one piece that are cheap to read at once.
const flatBytes = 1 << 20

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
