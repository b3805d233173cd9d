package netcdf

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// encoded are the items of an input as those of a variable of a NetCDF-4 file.
type encoded struct {
	*input
	v *Variable
}

func (e *encoded) Shape() ndarray.Shape { return e.v.Shape() }

// DType returns the dtype of the type, whose numbers are little-endian.
func (e *encoded) DType() meta.DType { return e.v.Type.little }

// Grid returns that of the source, with all bytes of a text.
func (e *encoded) Grid() (chunks, blocks ndarray.Shape) {
	chunks, blocks = e.src.Grid()
	shape := e.Shape()
	for d := len(chunks); d < len(shape) && chunks != nil; d++ {
		chunks = append(slices.Clone(chunks), shape[d])
		blocks = append(slices.Clone(blocks), shape[d])
	}
	return chunks, blocks
}

// ReadBytes reads items of the source. A part of the bytes of texts is taken from all of them.
func (e *encoded) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if e.same {
		return e.src.ReadBytes(ctx, dst, start, stop)
	}

	dims := len(e.src.Shape())
	n := int64(1)
	for d := range dims {
		n *= stop[d] - start[d]
	}

	items := make([]byte, n*int64(e.src.DType().Size()))
	if err := e.src.ReadBytes(ctx, items, start[:dims], stop[:dims]); err != nil {
		return err
	}
	if int64(len(dst)) == n*e.item {
		return e.encode(dst, items)
	}

	whole := make([]byte, n*e.item)
	if err := e.encode(whole, items); err != nil {
		return err
	}
	for ; len(whole) > 0; whole = whole[e.item:] {
		dst = dst[copy(dst, whole[start[dims]:stop[dims]]):]
	}
	return nil
}
