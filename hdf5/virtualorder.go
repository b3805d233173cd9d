package hdf5

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/hdf5/internal/format"
)

// read reads a box of the source, in the byte order of the virtual dataset.
func (t *transfer) read(ctx context.Context, dst []byte, start, stop []int64) error {
	if err := t.src.ReadBytes(ctx, dst, start, stop); err != nil || t.swap == 0 {
		return err
	}
	for n := range slices.Chunk(dst, t.swap) {
		slices.Reverse(n)
	}
	return nil
}

// swapped returns the width of the numbers of two datasets whose dtypes differ only in byte order.
func swapped(a, b *Dataset) (width int, ok bool) {
	if a.dtype.Kind() != b.dtype.Kind() || a.dtype.Size() != b.dtype.Size() {
		return 0, false
	}

	of := numberOf(a.item)
	other := numberOf(b.item)
	if of == nil || other == nil || of.BigEndian == other.BigEndian {
		return 0, false
	}
	return int(of.Size), true
}

// numberOf returns the datatype of the numbers that items are made of, nil if they are not numbers.
func numberOf(d *format.Datatype) *format.Datatype {
	switch d.Class {
	case format.Fixed, format.Bitfield, format.Float:
		return d
	case format.Complex:
		return d.Base
	case format.Compound:
		if part, ok := complexPart(d); ok {
			return part
		}
	}
	return nil
}
