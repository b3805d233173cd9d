package compute

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// typed returns a source as items of type T: an array of ours as what it is, so that its special chunks
// are known, anything else as a view.
func typed[T ndarray.Element](src ndarray.Source) (ndarray.Src[T], error) {
	switch s := src.(type) {
	case ndarray.Src[T]:
		return s, nil
	case *ndarray.Untyped:
		return ndarray.As[T](s)
	}
	return ndarray.ViewAs[T](src)
}

// frozen is typed for a source that stays as it is, as far as it is of ours.
func frozen[T ndarray.Element](ctx context.Context, src ndarray.Source, memory int64) (ndarray.Src[T], error) {
	items, err := typed[T](src)
	if err != nil {
		return nil, err
	}
	return ndarray.Frozen(ctx, items, 0, memory)
}

// reductions are what a reduction of a source whose items are known at run time can be. A method of
// items makes one for items of its type.
type reductions interface {
	count(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error)
	any(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[bool], error)
	all(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[bool], error)
}

// realReductions are those of real numbers.
type realReductions interface {
	reductions
	sumInt64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error)
	sumUint64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[uint64], error)
	sumFloat64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[float64], error)
	prodInt64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error)
	prodUint64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[uint64], error)
	prodFloat64(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[float64], error)
	mean(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[float64], error)
	spread(ctx context.Context, src ndarray.Source, o *Options,
		of func(float64) float64) (ndarray.Array[float64], error)
	argExtreme(ctx context.Context, src ndarray.Source, o *Options, greatest bool) (ndarray.Array[int64], error)
	countNaN(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error)
	histogram(ctx context.Context, src ndarray.Source, bins int, low, high float64) ([]int64, error)
}

// elements are items of type T, and reals those that are real numbers.
type (
	elements[T ndarray.Element] struct{}
	reals[T ndarray.Real]       struct{ elements[T] }
)

// byKind has the reductions of every kind and size of items.
var byKind = map[string]reductions{
	"i1": reals[int8]{}, "i2": reals[int16]{}, "i4": reals[int32]{}, "i8": reals[int64]{},
	"u1": reals[uint8]{}, "u2": reals[uint16]{}, "u4": reals[uint32]{}, "u8": reals[uint64]{},
	"f4": reals[float32]{}, "f8": reals[float64]{},
	"b1": elements[bool]{}, "f2": elements[ndarray.Float16]{},
	"c8": elements[complex64]{}, "c16": elements[complex128]{},
}

// reductionsOf returns the reductions of a source's items; what names the one that is wanted.
func reductionsOf(src ndarray.Source, what string) (reductions, error) {
	d := src.DType()
	r, ok := byKind[fmt.Sprintf("%c%d", d.Kind(), d.Size())]
	if !ok {
		return nil, unfit(what, d)
	}
	return r, nil
}

// realsOf is reductionsOf for real numbers.
func realsOf(src ndarray.Source, what string) (realReductions, error) {
	all, err := reductionsOf(src, what)
	if err != nil {
		return nil, err
	}
	r, ok := all.(realReductions)
	if !ok {
		return nil, unfit(what, src.DType())
	}
	return r, nil
}

func unfit(what string, d fmt.Stringer) error {
	return fmt.Errorf("%s of items of dtype %v: there is none: %w", what, d, cairn.ErrType)
}
