package ndarray_test

import (
	"fmt"

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

func ExampleFromFunc() {
	a, err := ndarray.FromFunc(ctx, "", ndarray.Shape{3, 4}, func(at []int64) int64 { return at[0] * at[1] }, nil)
	must(err)
	row, err := a.Read(ctx, ndarray.Index(2))
	must(err)
	fmt.Println(row)
	// Output: [0 2 4 6]
}

func ExampleLike() {
	a, err := ndarray.New[float64](ndarray.Shape{100, 100}, &ndarray.Options{ChunkShape: ndarray.Shape{10, 100}, Level: 9})
	must(err)
	ones, err := ndarray.New[float32](ndarray.Shape{20, 100}, ndarray.Like(a.Untyped))
	must(err)
	chunks, _ := ones.Grid()
	fmt.Println(chunks, ones.Info().Level)
	// Output: [10 100] 9
}
