package ndarray

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/cairn-go/cairn"
)

// Real is the set of Go types whose values have an order.
type Real interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Arange creates an array at path, or in memory if path is "", of the numbers start, start+step and so on that lie before stop, as many as NumPy's arange makes of
// the same numbers, and of the same values to the bit: item i is start + i·step in the arithmetic of T. shape must hold as many; nil is one dimension.
func Arange[T Real](ctx context.Context, path string, start, stop, step T, shape Shape, o *Options) (Array[T], error) {
	n, err := rangeLength(start, stop, step)
	if err != nil {
		return Array[T]{}, fmt.Errorf("arange: %w", err)
	}
	if shape, err = shapeFor(shape, n); err != nil {
		return Array[T]{}, fmt.Errorf("arange: %w", err)
	}
	// NumPy takes the step from the first two items, which have been rounded to T.
	delta := step
	if isFloat[T]() {
		delta = T(float64(start)+float64(step)) - start
	}
	return fromSlabs(ctx, path, shape, lines(shape, func(dst []T, from int64) {
		for k := range dst {
			// The conversion keeps the product from being fused with the sum, which would round differently.
			dst[k] = start + T(T(from+int64(k))*delta)
		}
	}), o)
}

// rangeLength returns how many steps there are from start before stop.
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
	n.Abs(n).Add(n, new(big.Int).Sub(by.Abs(by), big.NewInt(1))).Quo(n, by)
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

// lines turns a function that makes a run of items, from their number in C order over the whole shape, into one that fills boxes.
func lines[T any](shape Shape, line func(dst []T, from int64)) func(dst []T, start, stop []int64) {
	return func(dst []T, start, stop []int64) {
		last := len(shape) - 1
		if last < 0 {
			line(dst, 0)
			return
		}
		at, n := append([]int64(nil), start...), int(stop[last]-start[last])
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

// Linspace creates an array at path, or in memory if path is "", of numbers at equal distances from start to stop, as many as shape holds. With endpoint the last one
// is stop, else stop is the first one that is left out. Values are those of NumPy's linspace to the bit: computed in float64, and for
// an integer T rounded down.
func Linspace[T Real](ctx context.Context, path string, start, stop float64, shape Shape, endpoint bool, o *Options) (Array[T], error) {
	n := boxItems(make([]int64, len(shape)), shape)
	div := n
	if endpoint {
		div--
	}
	delta := stop - start
	step := delta / float64(div)
	value := func(i int64) float64 { return start + float64(float64(i)*step) }
	switch {
	case div <= 0:
		value = func(i int64) float64 { return start + float64(float64(i)*delta) }
	case step == 0: // or too small to be a number
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
			} else {
				dst[k] = convert(value(i))
			}
		}
	}), o)
}
