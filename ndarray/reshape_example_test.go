package ndarray_test

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/ndarray"
)

// Appended rows are visible at once, and durable after the commit.
func ExampleArray_Append() {
	ctx := context.Background()
	a, err := ndarray.New[int32](ndarray.Shape{0, 3}, &ndarray.Options{ChunkShape: ndarray.Shape{100, 3}})
	must(err)
	for day := range int32(3) {
		must(a.Append(ctx, 0, []int32{day, 10 * day, 100 * day}))
	}
	must(a.Commit(ctx))
	items, err := a.Read(ctx)
	must(err)
	fmt.Println(a.Shape(), items)
	// Output: [3 3] [0 0 0 1 10 100 2 20 200]
}

func ExampleArray_Insert() {
	ctx := context.Background()
	a := table()
	must(a.Insert(ctx, 1, 2, []int32{-1, -2, -3}))
	must(a.Delete(ctx, 0, 1, 3))
	items, err := a.Read(ctx)
	must(err)
	fmt.Println(a.Shape(), items)
	// Output: [1 5] [0 1 -1 2 3]
}

func ExampleArray_Resize() {
	ctx := context.Background()
	a := table()
	must(a.Resize(ctx, ndarray.Shape{2, 5}, &ndarray.ResizeOptions{Fill: 7}))
	items, err := a.Read(ctx)
	must(err)
	fmt.Println(items)
	// Output: [0 1 2 3 7 10 11 12 13 7]
}
