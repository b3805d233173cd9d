package netcdf

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/strided"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// opener returns a function that opens the dataset of a variable once.
func (r *reader4) opener(v *variable4) func(ctx context.Context) (items, error) {
	var mu sync.Mutex
	var opened items

	return func(ctx context.Context) (items, error) {
		mu.Lock()
		defer mu.Unlock()
		if opened != nil {
			return opened, nil
		}

		d, err := r.file.Dataset(ctx, v.key)
		if err != nil {
			return nil, err
		}
		opened = &datasetItems{Dataset: d, own: d.Shape(), fill: fillOf(d, v.Type)}
		return opened, nil
	}
}

// fillOf returns the item that stands where nothing was written.
func fillOf(d *hdf5.Dataset, t *Type) []byte {
	info := d.Info()
	size := d.DType().Size()
	if len(info.Fill) == size {
		return info.Fill
	}

	fill := make([]byte, size)
	if d.Sequences() {
		fill[0] = '[' // an empty one, little-endian
		fill[4] = ']'
	}
	if info.NoFill && t.Size == size && t.Class == Atomic {
		for i := range fill {
			fill[i] = byte(t.fill >> (8 * i))
		}
		if d.DType().BigEndian() {
			slices.Reverse(fill)
		}
	}

	return fill
}

// datasetItems are the items of a dataset, which may have fewer than the variable.
type datasetItems struct {
	*hdf5.Dataset
	own  ndarray.Shape
	fill []byte
}

func (s *datasetItems) dtype() meta.DType { return s.DType() }

func (s *datasetItems) grid(ndarray.Shape) (chunks, blocks ndarray.Shape) { return s.Grid() }

func (s *datasetItems) readBox(ctx context.Context, dst []byte, start, stop []int64) error {
	end := slices.Clone(stop)
	whole := true
	none := false
	for d, n := range s.own {
		end[d] = min(stop[d], n)
		whole = whole && end[d] == stop[d]
		none = none || end[d] <= start[d]
	}
	if whole {
		return s.ReadBytes(ctx, dst, start, stop)
	}

	size := len(s.fill)
	copy(dst, bytes.Repeat(s.fill, len(dst)/size))
	if none {
		return ctx.Err()
	}

	n := int64(size)
	extent := make([]int64, len(start))
	part := make([]int64, len(start))
	for d := range start {
		extent[d] = stop[d] - start[d]
		part[d] = end[d] - start[d]
		n *= part[d]
	}

	have := fresh.Make[byte](n)
	if err := s.ReadBytes(ctx, have, start, end); err != nil {
		return err
	}

	return strided.Packed(extent, int64(size)).Walk(make([]int64, len(start)), part, func(r strided.Rows) error {
		for k := range r.Count {
			copy(dst[r.Off+k*r.Stride:], have[:r.Run])
			have = have[r.Run:]
		}
		return nil
	})
}
