package compute_test

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleSum() {
	ctx := context.Background()
	a, err := ndarray.FromSlice([]int16{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil)
	must(err)
	total, err := compute.Value(compute.Sum[int64](ctx, a, nil))
	must(err)
	columns, err := compute.Sum[int64](ctx, a, compute.Over(0))
	must(err)
	values, err := columns.Read(ctx)
	must(err)
	fmt.Println(total, values)
	// Output: 21 [5 7 9]
}

func ExampleMap2() {
	ctx := context.Background()
	x, err := ndarray.Arange(ctx, "", 0, int32(6), 1, nil, nil)
	must(err)
	y, err := ndarray.New[float64](ndarray.Shape{6}, &ndarray.Options{Fill: 0.5})
	must(err)
	product, err := compute.Map2(ctx, "", x, y, func(dst []float64, x []int32, y []float64) {
		for i := range dst {
			dst[i] = float64(x[i]) * y[i]
		}
	}, nil)
	must(err)
	values, err := product.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [0 0.5 1 1.5 2 2.5]
}
