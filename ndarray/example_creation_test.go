package ndarray_test

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/ndarray"
)

func ExampleArange() {
	a, err := ndarray.Arange(ctx, "", 0, 1, 0.25, nil, nil)
	must(err)
	values, err := a.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [0 0.25 0.5 0.75]
}

func ExampleLinspace() {
	a, err := ndarray.Linspace[float32](ctx, "", 0, 1, ndarray.Shape{5}, true, nil)
	must(err)
	values, err := a.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [0 0.25 0.5 0.75 1]
}

func ExampleEye() {
	a, err := ndarray.Eye[int8](ctx, "", 2, 3, 1, nil)
	must(err)
	values, err := a.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [0 1 0 0 0 1]
}

func ExampleFromFunc() {
	a, err := ndarray.FromFunc(ctx, "", ndarray.Shape{3, 4}, func(at []int64) int64 { return at[0] * at[1] }, nil)
	must(err)
	row, err := a.Read(ctx, ndarray.Index(2))
	must(err)
	fmt.Println(row)
	// Output: [0 2 4 6]
}

func ExampleFromIter() {
	a, err := ndarray.FromIter(ctx, "", ndarray.Shape{2, 2}, slices.Values([]uint16{1, 2, 3, 4}), nil)
	must(err)
	v, err := a.At(1, 0)
	must(err)
	fmt.Println(v)
	// Output: 3
}

func ExampleFromReader() {
	u, err := ndarray.FromReader(ctx, "", ">u2", ndarray.Shape{3}, bytes.NewReader([]byte{0, 1, 0, 2, 1, 0}), nil)
	must(err)
	a, err := ndarray.As[uint16](u)
	must(err)
	values, err := a.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [1 2 256]
}

func ExampleLike() {
	a, err := ndarray.New[float64](ndarray.Shape{100, 100}, &ndarray.Options{ChunkShape: ndarray.Shape{10, 100}, Level: 9})
	must(err)
	ones, err := ndarray.Ones[float32]("", ndarray.Shape{20, 100}, ndarray.Like(a.Untyped()))
	must(err)
	fmt.Println(ones.ChunkShape(), ones.Info().Level)
	// Output: [10 100] 9
}
