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

// Standard scores of each column. A view repeats the mean and deviation of a column along the rows,
// so each is computed and stored once.
func ExampleMap2_records() {
	ctx := context.Background()
	a, err := ndarray.FromSlice([]float32{1, 10, 2, 30, 3, 50}, ndarray.Shape{3, 2}, nil)
	must(err)
	rows := &compute.Options{Axes: []int{0}, KeepDims: true}
	mean, err := compute.Mean(ctx, a, rows)
	must(err)
	deviation, err := compute.Std(ctx, a, rows)
	must(err)
	type moments struct{ Mean, Deviation float64 }
	columns, err := compute.Map2(ctx, "", mean, deviation, func(dst []moments, mean, deviation []float64) {
		for i := range dst {
			dst[i] = moments{mean[i], deviation[i]}
		}
	}, nil)
	must(err)
	scores, err := compute.Map2(ctx, "", a, columns.View().Broadcast(a.Shape()), func(dst, x []float32, of []moments) {
		for i := range dst {
			dst[i] = float32((float64(x[i]) - of[i].Mean) / of[i].Deviation)
		}
	}, nil)
	must(err)
	values, err := scores.Read(ctx)
	must(err)
	fmt.Println(values)
	// Output: [-1.2247449 -1.2247449 0 0 1.2247449 1.2247449]
}

// Map computes a mask from one field, and ReadWhere selects the records.
func ExampleMap() {
	ctx := context.Background()
	type event struct {
		Station string `cairn:"station,U8"`
		Level   float64
	}
	events, err := ndarray.FromSlice([]event{{"Säntis", 2}, {"Genève", 7}, {"Säntis", 9}}, ndarray.Shape{3}, nil)
	must(err)
	high, err := compute.Map(ctx, "", events.Field("Level"), func(dst []bool, level []float64) {
		for i := range dst {
			dst[i] = level[i] > 5
		}
	}, nil)
	must(err)
	found, err := events.ReadWhere(ctx, high)
	must(err)
	fmt.Println(found)
	// Output: [{Genève 7} {Säntis 9}]
}

func ExampleCalc() {
	ctx := context.Background()
	a, err := ndarray.FromSlice([]float64{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil)
	must(err)
	e, err := compute.Calc(ctx, "where(a > 2, a - mean(a, axis=0), 0)", map[string]ndarray.Source{"a": a}, nil)
	must(err)
	result, err := ndarray.Copy(ctx, e, nil) // ndarray.Save stores it in a file
	must(err)
	b, err := ndarray.As[float64](result)
	must(err)
	fmt.Println(b.Read(ctx))
	// Output: [0 0 -1.5 1.5 1.5 1.5] <nil>
}
