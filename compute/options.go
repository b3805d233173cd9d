package compute

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
)

// Options say what a reduction reduces, and where the result goes. Nil and the zero value mean: all
// axes, into an array without dimensions in memory.
type Options struct {
	// dimensions to reduce over, each once; negative ones count from the end; none means all
	Axes     []int
	KeepDims bool // reduced dimensions stay, with one item
	SkipNaN  bool // NaN does not count, as in NumPy's nan… functions
	DDoF     int  // for Var and Std: what is taken off the number of items in the divisor

	// Memory is how many bytes the call may take while it goes over the array; 0 means what
	// [ndarray.Options.Memory] says. Half of it is for what accumulates: 144 bytes for each worker
	// and item of the result that a chunk is reduced to. The other half is for chunks: a block and,
	// unless the frame is in memory or mapped, a chunk for each worker. There are as many workers
	// as have room, one at least. A result of up to 64 MiB is in memory besides.
	Memory int64

	Path string // of the result; "" means in memory
	// of the result; nil means the defaults, and for a result in memory no compression
	Array *ndarray.Options
}

// share returns what each of the two may take that Memory is for.
func (o *Options) share() int64 { return max(1, parallel.Memory(o.Memory)/2) }

// Over returns options for a reduction over some axes, or all if there are none.
func Over(axes ...int) *Options { return &Options{Axes: axes} }

// Value returns the one item of a reduction over all axes; it takes what such a function returns,
// and closes that array.
func Value[T any](a ndarray.Array[T], err error) (T, error) {
	var value T
	if err != nil {
		return value, err
	}
	if a.Len() != 1 {
		a.Abort()
		return value, fmt.Errorf("value of an array of shape %v: %w", a.Shape(), cairn.ErrBounds)
	}
	value, err = a.At(make([]int64, len(a.Shape()))...)
	a.Abort()
	return value, err
}

// resolve returns which dimensions are reduced.
func (o *Options) resolve(dims int) ([]bool, error) {
	reduced := make([]bool, dims)
	if len(o.Axes) == 0 {
		for i := range reduced {
			reduced[i] = true
		}
		return reduced, nil
	}
	for _, axis := range o.Axes {
		i := axis
		if i < 0 {
			i += dims
		}
		if i < 0 || i >= dims {
			return nil, fmt.Errorf("axis %d of %d: %w", axis, dims, cairn.ErrBounds)
		}
		if reduced[i] {
			return nil, fmt.Errorf("axis %d twice: %w", axis, cairn.ErrBounds)
		}
		reduced[i] = true
	}
	return reduced, nil
}

// project returns the shape of the result.
func (o *Options) project(shape ndarray.Shape, reduced []bool) ndarray.Shape {
	out := ndarray.Shape{}
	for i, n := range shape {
		switch {
		case !reduced[i]:
			out = append(out, n)
		case o.KeepDims:
			out = append(out, 1)
		}
	}
	return slices.Clip(out)
}
