package compute

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A family contains the reductions for a dtype; those that are not supported are nil.
type family struct {
	count, countNaN, any, all reduction
	countValid                reduction
	least, most               reduction
	argLeast, argMost         reduction
	mean, variance, std       reduction

	sum, product func(in any) reduction // in is a value of the accumulator's type
	histogram    func(ctx context.Context, src ndarray.Source, bins int, low, high float64) ([]int64, error)
	summarize    func(ctx context.Context, src ndarray.Source, each func(int64, Summary)) (Summary, error)

	weighted bool // sums are added in float64
	// relate returns the reduction of pairs, in the family of these.
	relate     func(of func(m *comoment, ddof int) float64) reduction
	longestRun reduction
}

// familyOf returns the family of a source's items; what names the operation for errors.
func familyOf(src ndarray.Source, what string) (f family, err error) {
	d, err := ndarray.ViewOf(src).Inside().DType()
	if err != nil {
		return f, fmt.Errorf("%s: %w", what, err)
	}

	if of, ok := otherFamilies[fmt.Sprintf("%c%d", d.Kind(), d.Size())]; ok {
		return of(), nil
	}

	k, ok := kernel.KindOf(d.Kind(), d.Size())
	if !ok {
		return f, typeError(what, d)
	}
	return itemTypes[k].family(), nil
}

func typeError(what string, d meta.DType) error {
	err := fmt.Errorf("%s of items of dtype %v is not possible: %w", what, d, cairn.ErrType)
	if d.IsStruct() {
		return errkind.Mark(err, errkind.ErrStruct)
	}
	return err
}

// apply runs the reduction that pick selects from the family of src.
func apply[R any](ctx context.Context, src ndarray.Source, o *Options, what string,
	pick func(f *family) reduction) (none ndarray.Array[R], err error) {
	f, err := familyOf(src, what)
	if err != nil {
		return none, err
	}

	if o == nil {
		o = &Options{}
	}
	if pick(&f) == nil {
		return none, typeError(what, src.DType())
	}
	if o.Weights != nil {
		if src, f, err = o.Weights.family(ctx, src, &f, o.Memory); err != nil {
			return none, fmt.Errorf("%s: %w", what, err)
		}
	}

	run := pick(&f)
	if run == nil {
		return none, noWeights(what)
	}

	return alone[R](ctx, run, src, o)
}

// alone returns the result of a reduction that has a pass of its own.
func alone[R any](ctx context.Context, of reduction, src ndarray.Source, o *Options) (none ndarray.Array[R], err error) {
	p, err := of.pass(ctx, src, []request{{of, o}})
	if err != nil {
		return none, err
	}

	results, err := p.results(ctx)
	if err != nil {
		return none, err
	}

	a, err := ndarray.As[R](results[0])
	if err != nil {
		results[0].Abort()
	}
	return a, err
}

// noWeights is the error for an operation that takes no weights.
func noWeights(what string) error {
	return fmt.Errorf("%s with weights; they are for mean, var, std, and sum in float64: %w", what, cairn.ErrUnsupported)
}

// numbers are items of Go type S that are reduced as values of type T.
type numbers[S any, T ndarray.Real] struct {
	open openInput[T]
	item func(T) S
	// nat means that the minimum of T is NaT, which is treated like NaN.
	nat bool
}

func realNumbers[T ndarray.Real]() family {
	return numbers[T, T]{open: plainInput[T], item: func(v T) T { return v }}.family()
}

func halves() family {
	return numbers[ndarray.Float16, float32]{
		open: convertedInput(ndarray.Float16.Float32), item: ndarray.Float16From}.family()
}

func bools() family {
	n := numbers[bool, uint8]{
		open: convertedInput(func(v bool) uint8 {
			if v {
				return 1
			}
			return 0
		}),
		item: func(v uint8) bool { return v != 0 },
	}
	f := n.family()
	f.longestRun = longestRun(n.open)
	return f
}

func times() family {
	n := numbers[int64, int64]{open: plainInput[int64], item: func(v int64) int64 { return v }, nat: true}
	return family{
		countNaN:   count(n.open, func(values []int64) int64 { return countOf(values, n.isNaN) }),
		countValid: count(n.open, valid(n.isNaN)),
		least:      n.extreme(false), most: n.extreme(true),
		argLeast: n.argExtreme(false), argMost: n.argExtreme(true),
		summarize: n.summarize,
	}
}

func complexOf[T complex64 | complex128]() family {
	return family{
		count: count(plainInput[T], nonZero[T]), any: anyOf(plainInput[T]), all: allOf(plainInput[T]),
		countNaN:   count(plainInput[T], func(values []T) int64 { return countOf(values, isNaN[T]) }),
		countValid: count(plainInput[T], valid(isNaN[T])),
		sum: func(in any) reduction {
			if _, ok := in.(complex128); !ok {
				return nil
			}
			return sumComplex[T]()
		},
	}
}

func (n numbers[S, T]) family() family {
	return family{
		count: count(n.open, nonZero[T]), any: anyOf(n.open), all: allOf(n.open),
		countNaN:   count(n.open, func(values []T) int64 { return countOf(values, isNaN[T]) }),
		countValid: count(n.open, valid(isNaN[T])),
		least:      n.extreme(false), most: n.extreme(true),
		argLeast: n.argExtreme(false), argMost: n.argExtreme(true),
		mean: mean(n.open), variance: variance(n.open, func(v float64) float64 { return v }),
		std: variance(n.open, math.Sqrt),
		sum: func(in any) reduction {
			return byTotal(in, isFloat[T](), sum[int64](n.open), sum[uint64](n.open), sumFloats(n.open))
		},
		product: func(in any) reduction {
			return byTotal(in, isFloat[T](), product[int64, int64](n.open),
				product[int64, uint64](n.open), product[float64, float64](n.open))
		},
		histogram: n.histogram, summarize: n.summarize,
	}
}

// byTotal returns the reduction for the type of in, or nil. Floats are reduced in float64 only.
func byTotal(in any, float bool, signed, unsigned, floating reduction) reduction {
	switch in.(type) {
	case float64:
		return floating
	case int64:
		if !float {
			return signed
		}
	case uint64:
		if !float {
			return unsigned
		}
	}
	return nil
}

// isNaN reports whether a value is NaN, or NaT.
func (n numbers[S, T]) isNaN(v T) bool { return v != v || n.nat && int64(v) == math.MinInt64 }

func isNaN[T comparable](v T) bool { return v != v }

func countOf[T any](values []T, is func(T) bool) (n int64) {
	for _, v := range values {
		if is(v) {
			n++
		}
	}
	return n
}
