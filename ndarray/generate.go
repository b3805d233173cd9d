package ndarray

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// FromBoxes creates an array of items of type T at path, or in memory if path is "". It calls fill
// once for each chunk of the array, clipped to the array's edge: fill must set all of dst to the
// items from start up to, not including, stop, in C order. Several calls run at a time, as many as
// fit into [Options.Memory]. dst, start and stop are valid until fill returns. After an error of
// fill, or the end of ctx, no array is left. As with Create, the file is created when the array is
// committed or closed.
func FromBoxes[T any](ctx context.Context, path string, shape Shape,
	fill func(dst []T, start, stop []int64) error, o *Options) (Array[T], error) {
	return fromParts(ctx, path, shape, func(_ int, dst []T, start, stop []int64) error {
		return fill(dst, start, stop)
	}, o)
}

// fromParts is FromBoxes for a function that is also told how many goroutines it may use.
func fromParts[T any](ctx context.Context, path string, shape Shape,
	fill func(workers int, dst []T, start, stop []int64) error, o *Options) (Array[T], error) {
	a, err := createAt[T](path, shape, o)
	if err != nil {
		return a, err
	}
	if err := orAbort(a.Abort, func() error { return a.generate(ctx, fill) }); err != nil {
		return Array[T]{}, err
	}
	return a, nil
}

// fromSlabs is FromBoxes for a function that may be called for parts of a chunk, several at a time.
func fromSlabs[T any](ctx context.Context, path string, shape Shape,
	fill func(dst []T, start, stop []int64), o *Options) (Array[T], error) {
	fillParts := func(workers int, dst []T, start, stop []int64) error {
		if len(start) == 0 || len(dst) == 0 || workers == 1 {
			fill(dst, start, stop)
			return nil
		}

		// The parts lie along the first axis with more than one item, so that each is a run of
		// items.
		axis := 0
		for axis < len(start)-1 && stop[axis]-start[axis] == 1 {
			axis++
		}
		rows := stop[axis] - start[axis]
		rowItems := int64(len(dst)) / rows
		parts := min(int64(workers), rows)

		return parallel.For(ctx, int(parts), int(parts), func(_, k int) error {
			from := rows * int64(k) / parts
			to := rows * int64(k+1) / parts
			first := slices.Clone(start)
			first[axis] = start[axis] + from
			last := slices.Clone(stop)
			last[axis] = start[axis] + to
			fill(dst[from*rowItems:to*rowItems], first, last)
			return nil
		})
	}
	return fromParts(ctx, path, shape, fillParts, o)
}

// FromFunc creates an array at path, or in memory if path is "", of the results of fn for the
// coordinates of each item. fn is called once for each item, by several goroutines at a time, and
// must not keep the coordinates. The file is created when the array is committed or closed.
func FromFunc[T any](ctx context.Context, path string, shape Shape, fn func(at []int64) T,
	o *Options) (Array[T], error) {
	return fromSlabs(ctx, path, shape, func(dst []T, start, stop []int64) {
		at := slices.Clone(start)
		for i := range dst {
			dst[i] = fn(at)
			advance(at, start, stop)
		}
	}, o)
}

// createAt creates an array at path, or in memory if path is empty.
func createAt[T any](path string, shape Shape, o *Options) (Array[T], error) {
	if path == "" {
		return New[T](shape, o)
	}
	return Create[T](path, shape, o)
}

// generate writes every chunk of the array with the items that fill makes.
func (a Array[T]) generate(ctx context.Context,
	fill func(workers int, dst []T, start, stop []int64) error) error {
	to := a.bound()
	part := to.a.geometry()
	chunks, workers := to.a.divideWorkers(int(part.ChunkCount))
	buffers := make(chan []T, chunks) // one for each chunk in progress

	encode := func(w *worker, _ []byte) error {
		var dst []T
		select {
		case dst = <-buffers:
		default:
		}

		var plan grid.Box
		start, stop := part.ChunkBox(w.piece.Chunk)
		if err := plan.Set(part, start[:part.Dims], stop[:part.Dims]); err != nil {
			return err
		}
		plan.Swap(to.layout.Swap)
		w.take(&plan, 0)

		dst = slab.Resize(dst, plan.Bytes/part.ItemSize)
		if err := fill(workers, dst, start[:part.Dims], stop[:part.Dims]); err != nil {
			return err
		}
		items, err := to.items(ctx, govalue.SpanOf(dst))
		if err != nil {
			return err
		}

		err = w.encode(items)
		buffers <- dst
		return err
	}
	return to.a.change(ctx, part, change{plan: wholeChunks{part}, encode: encode})
}

// Real is the set of Go types whose values have an order.
type Real interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Arange creates an array at path, or in memory if path is "", of the numbers start, start+step and
// so on before stop. Their number and their values are those of NumPy's arange, bit by bit: item i
// is start + i·step in the arithmetic of T. shape must hold as many; nil means one dimension.
func Arange[T Real](ctx context.Context, path string, start, stop, step T, shape Shape,
	o *Options) (Array[T], error) {
	n, err := rangeLength(start, stop, step)
	if err != nil {
		return Array[T]{}, fmt.Errorf("arange: %w", err)
	}
	shape, err = shapeFor(shape, n)
	if err != nil {
		return Array[T]{}, fmt.Errorf("arange: %w", err)
	}

	// NumPy computes the step from the first two items, after rounding them to T.
	delta := step
	if isFloat[T]() {
		delta = T(float64(start)+float64(step)) - start
	}

	return fromSlabs(ctx, path, shape, lines(shape, func(dst []T, from int64) {
		for k := range dst {
			// The conversion keeps the product from being fused with the sum, which would round
			// differently.
			dst[k] = start + T(T(from+int64(k))*delta)
		}
	}), o)
}

// rangeLength returns the number of steps from start up to, not including, stop.
func rangeLength[T Real](start, stop, step T) (int64, error) {
	if step == 0 {
		return 0, fmt.Errorf("a step of 0: %w", cairn.ErrBounds)
	}

	if isFloat[T]() {
		n := math.Ceil((float64(stop) - float64(start)) / float64(step))
		if math.IsNaN(n) || n >= math.MaxInt64 {
			return 0, fmt.Errorf("from %v to %v by %v: %w", start, stop, step, cairn.ErrBounds)
		}
		return max(0, int64(n)), nil
	}

	// The difference of two 64-bit numbers needs 65.
	n := new(big.Int).Sub(toBig(stop), toBig(start))
	by := toBig(step)
	if n.Sign() != by.Sign() {
		return 0, nil
	}

	// The quotient is rounded up.
	n.Abs(n)
	by.Abs(by)
	n.Add(n, by)
	n.Sub(n, big.NewInt(1))
	n.Quo(n, by)
	if !n.IsInt64() {
		return 0, fmt.Errorf("from %v to %v by %v: %w", start, stop, step, cairn.ErrBounds)
	}
	return n.Int64(), nil
}

func toBig[T Real](v T) *big.Int {
	if v < 0 {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(uint64(v))
}

func isFloat[T Element]() bool {
	k := reflect.TypeFor[T]().Kind()
	return k == reflect.Float32 || k == reflect.Float64
}

// shapeFor returns shape, or one dimension if it is nil, for n items.
func shapeFor(shape Shape, n int64) (Shape, error) {
	if shape == nil {
		return Shape{n}, nil
	}
	if have := boxItems(make([]int64, len(shape)), shape); have != n {
		return nil, fmt.Errorf("%d items in the shape %v: %w", n, shape, cairn.ErrBounds)
	}
	return shape, nil
}

// lines turns a function that makes a run of items, given the number of its first in C order over
// the whole shape, into one that fills boxes.
func lines[T any](shape Shape, line func(dst []T, from int64)) func(dst []T, start, stop []int64) {
	return func(dst []T, start, stop []int64) {
		last := len(shape) - 1
		if last < 0 {
			line(dst, 0)
			return
		}

		at := append([]int64(nil), start...)
		n := int(stop[last] - start[last])
		for ; len(dst) > 0; dst = dst[n:] {
			from := int64(0)
			for i, c := range at {
				from = from*shape[i] + c
			}
			line(dst[:n], from)
			advance(at[:last], start, stop)
		}
	}
}

// Linspace creates an array at path, or in memory if path is "", of evenly spaced numbers from
// start to stop, as many as shape holds. With endpoint the last number is stop; otherwise stop is
// the first number after the last. The values are those of NumPy's linspace, bit by bit: computed
// in float64, and rounded down if T is an integer.
func Linspace[T Real](ctx context.Context, path string, start, stop float64, shape Shape,
	endpoint bool, o *Options) (Array[T], error) {
	n := boxItems(make([]int64, len(shape)), shape)
	div := n
	if endpoint {
		div--
	}
	delta := stop - start
	step := delta / float64(div)

	// The conversions keep products from being fused with sums, which would round differently.
	value := func(i int64) float64 { return start + float64(float64(i)*step) }
	switch {
	case div <= 0:
		value = func(i int64) float64 { return start + float64(float64(i)*delta) }
	case step == 0: // possibly by underflow
		value = func(i int64) float64 { return start + float64(float64(i)/float64(div)*delta) }
	}

	convert := func(v float64) T { return T(v) }
	if !isFloat[T]() {
		convert = func(v float64) T { return T(math.Floor(v)) }
	}

	return fromSlabs(ctx, path, shape, lines(shape, func(dst []T, from int64) {
		for k := range dst {
			i := from + int64(k)
			if endpoint && n > 1 && i == n-1 {
				dst[k] = convert(stop)
				continue
			}
			dst[k] = convert(value(i))
		}
	}), o)
}
