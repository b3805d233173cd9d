package compute

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
)

// Options are the options of a reduction. The zero value reduces over all axes, into a
// zero-dimensional array in memory.
type Options struct {
	// dimensions to reduce, each at most once; negative ones count from the end; none means all
	Axes     []int
	KeepDims bool // keep reduced dimensions with extent 1
	// Groups divide axes, each at most once, instead of reducing them. With groups, no Axes means
	// that no other one is reduced.
	Groups  []Groups
	Weights *Weights // for Mean, Var, Std, and Sum in float64: of the items, or nil
	SkipNaN bool     // ignore NaN, as in NumPy's nan… functions
	DDoF    int      // for Var and Std: subtracted from the number of items in the divisor

	// Memory limits the memory of the call in bytes; 0 means the default of
	// [ndarray.Options.Memory]. Half of it is for accumulators: up to 160 bytes per worker and item
	// of the result to which a chunk contributes, for each reduction of a pass; with groups, of
	// half a million items of the result, or those of one group. The other half is for reading: a
	// block per worker and, unless the frame is in memory or mapped, a chunk. The number of workers
	// is reduced to fit, to one at least. A result of up to 64 MiB is held in memory in addition.
	Memory int64

	Path string // of the result; "" means in memory
	// of the result; nil means the defaults, and no compression for a result in memory
	Array *ndarray.Options

	// scratch creates the result, if it is not nil.
	scratch func(dtype string, shape ndarray.Shape, o *ndarray.Options) (*ndarray.Untyped, error)
}

// memoryShare returns the half of Memory for each of the two purposes.
func (o *Options) memoryShare() int64 { return max(1, parallel.Memory(o.Memory)/2) }

// Over returns options for a reduction over the given axes, or all if there are none.
func Over(axes ...int) *Options { return &Options{Axes: axes} }

// Value returns the single item of a reduction over all axes and closes the array. Its parameters
// are the results of a reduction.
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
	if o.Memory < 0 || o.DDoF < 0 {
		return nil, fmt.Errorf("options: Memory is %d and DDoF %d, must not be negative: %w", o.Memory, o.DDoF, cairn.ErrInvalid)
	}
	reduced := make([]bool, dims)

	if len(o.Axes) == 0 {
		for i := range reduced {
			reduced[i] = len(o.Groups) == 0
		}
		return reduced, nil
	}

	for _, axis := range o.Axes {
		i, err := axisNumber(axis, dims)
		if err != nil {
			return nil, err
		}

		if reduced[i] {
			return nil, errkind.Invalid(fmt.Errorf("axis %d twice: %w", axis, cairn.ErrBounds))
		}
		reduced[i] = true
	}
	return reduced, nil
}

// project returns the shape of the result, of which shape has the groups along dimensions that are
// divided into groups.
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
