package ndarray_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/ndarray"
)

// A plan states the cost of a copy before it runs. Here, layers become columns.
func ExamplePlanCopy() {
	dir, err := os.MkdirTemp("", "cairn-*")
	must(err)
	defer os.RemoveAll(dir)
	a, err := ndarray.New[float32](ndarray.Shape{100, 40, 50}, &ndarray.Options{ChunkShape: ndarray.Shape{1, 40, 50}})
	must(err)
	defer a.Abort()
	values := make([]float32, a.Len())
	for i := range values {
		values[i] = float32(i)
	}
	must(a.Write(context.Background(), values))

	p, err := ndarray.PlanCopy(a, &ndarray.CopyOptions{ChunkShape: ndarray.Shape{100, 10, 10}, Workers: 1})
	must(err)
	fmt.Println(p.Method, p.NumChunks, "chunks,", p.Passes, "pass,", p.PeakMemory>>20, "MiB at most")
	must(p.Run(context.Background(), filepath.Join(dir, "columns.b2nd")))
	// Output: rechunk 20 chunks, 1 pass, 5 MiB at most
}

// Save copies chunks without decoding where they fit the result.
func ExampleSave() {
	a, err := ndarray.FromSlice([]int32{1, 2, 3, 4}, ndarray.Shape{2, 2}, nil)
	must(err)
	b, err := ndarray.FromSlice([]int32{5, 6}, ndarray.Shape{1, 2}, nil)
	must(err)
	dir, err := os.MkdirTemp("", "cairn-*")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "joined.b2nd")
	must(ndarray.Save(context.Background(), path, ndarray.Concat(0, a, b), nil))
	joined, err := ndarray.OpenAs[int32](path, nil)
	must(err)
	defer joined.Close()
	values, err := joined.Read(context.Background())
	must(err)
	fmt.Println(joined.Shape(), values)
	// Output: [3 2] [1 2 3 4 5 6]
}
