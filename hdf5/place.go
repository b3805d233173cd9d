package hdf5

import (
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/storage"
)

// openItems finds out where the items are.
func (d *Dataset) openItems(r *format.Reader) error {
	switch d.layout.Class {
	case format.Compact:
		return d.openFlat(storage.BytesFile(d.layout.Data), int64(len(d.layout.Data)))
	case format.Contiguous:
		if d.layout.Address == format.None {
			return d.openMissing()
		}
		at, size := d.layout.Address, d.bytes()
		if r.Outside(at, size) {
			return cairn.Corruptf("dataset", -1, "%d bytes of items at address %d of a file of %d", size, at, r.Size())
		}
		if d.layout.Size != format.None && d.layout.Size < size {
			return cairn.Corruptf("dataset", -1, "%d bytes of items, want %d", d.layout.Size, size)
		}
		return d.openFlat(r.Section(at, size), size)
	}
	return d.openChunked()
}

// bytes returns the size of all items in the file.
func (d *Dataset) bytes() int64 {
	n, _ := grid.Product(append([]int64{d.item.Size}, d.shape...))
	return n
}

// openFlat opens items in one piece: package npy reads such.
func (d *Dataset) openFlat(r io.ReaderAt, size int64) error {
	if want := d.bytes(); size < want {
		return cairn.Corruptf("dataset", -1, "%d bytes of items, want %d", size, want)
	} else if len(d.filters) > 0 {
		return cairn.Corruptf("dataset", -1, "filters without chunks")
	} else {
		size = want
	}
	t, err := meta.ParseDType(fmt.Sprintf("V%d", d.item.Size))
	if err != nil {
		return err
	}
	d.flat, err = npy.OpenReader(r, size, &npy.OpenOptions{Raw: &npy.Header{DType: t, Shape: slices.Clone(d.shape)}})
	return err
}

// missingBytes is the size of the chunks of a dataset that has none.
const missingBytes = 1 << 20

// openMissing sets up a dataset without items: a grid of chunks, none of which exists.
func (d *Dataset) openMissing() error {
	one := slices.Repeat([]int64{1}, len(d.space.Shape))
	d.layout.Chunk = slab.Chunked(d.space.Shape, one, d.datatype.Size, missingBytes)
	d.layout.ItemSize = d.datatype.Size
	return d.openChunked()
}

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
	return err
}
