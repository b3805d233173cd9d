package cairn_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// temperatures returns a map of 180 × 360 values.
func temperatures(day int) []float32 {
	values := make([]float32, 180*360)
	for i := range values {
		values[i] = float32(day + i%360)
	}
	return values
}

// Example_guide is explained step by step in docs/guide.md.
func Example_guide() {
	a, err := ndarray.Create[float32]("sea.b2nd", ndarray.Shape{0, 180, 360}, nil)
	check(err)
	defer a.Abort() // does nothing after Close
	for day := range 3 {
		check(a.Append(ctx, 0, temperatures(day)))
	}
	check(a.Commit(ctx))

	corner, err := a.Read(ctx, ndarray.Index(-1), ndarray.To(2), ndarray.To(3))
	check(err)
	fmt.Println(a.Shape(), corner)

	south := a.View().Flip(1).Slice(ndarray.All, ndarray.Index(0)) // days × longitudes
	fmt.Println(south.Shape())

	mean, err := compute.Mean(ctx, a, compute.Over(0))
	check(err)
	fmt.Println(mean.At(0, 0))

	anomaly, err := compute.Calc(ctx, "a - mean(a, axis=0)", map[string]ndarray.Source{"a": a}, nil)
	check(err)
	fmt.Println(anomaly.Shape(), anomaly.DType())

	check(a.Close())
	// Output:
	// [3 180 360] [2 3 4 2 3 4]
	// [3 360]
	// 1 <nil>
	// [3 180 360] <f4
}

func publish(ctx context.Context, path string, values []float32) error {
	a, err := ndarray.Create[float32](path, ndarray.Shape{int64(len(values))}, nil)
	if err != nil {
		return err
	}
	defer a.Abort() // after an error or a panic the file is as it was
	if err := a.Write(ctx, values); err != nil {
		return err
	}
	return a.Close()
}

// TestPublish runs the function of the guide.
func TestPublish(t *testing.T) {
	if err := publish(t.Context(), filepath.Join(t.TempDir(), "a.b2nd"), []float32{1, 2}); err != nil {
		t.Fatal(err)
	}
}
