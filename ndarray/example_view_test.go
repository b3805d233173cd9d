package ndarray_test

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/ndarray"
)

func ExampleIndices() {
	a, err := ndarray.FromSlice([]int32{0, 1, 2, 10, 11, 12, 20, 21, 22}, ndarray.Shape{3, 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Abort()
	xs, err := a.Read(context.Background(), ndarray.Indices([]int64{2, 0, 2}), ndarray.All.Step(-2))
	fmt.Println(xs, err)
	// Output: [22 20 2 0 22 20] <nil>
}

func ExampleArray_View() {
	ctx := context.Background()
	a, err := ndarray.FromSlice([]int32{0, 1, 2, 10, 11, 12}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Abort()
	v := a.View().Transpose().Slice(ndarray.From(1))
	xs, err := v.Read(ctx)
	fmt.Println(v.Shape(), xs, err)
	err = v.Flip(1).Write(ctx, []int32{5, 6, 7, 8})
	xs, _ = a.Read(ctx)
	fmt.Println(xs, err)
	// Output:
	// [2 2] [1 11 2 12] <nil>
	// [0 6 8 10 5 7] <nil>
}

func ExampleConcat() {
	a, err := ndarray.FromSlice([]int32{1, 2, 3, 4}, ndarray.Shape{2, 2}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Abort()
	v, err := ndarray.ViewAs[int32](ndarray.Concat(1, a, a.Slice(ndarray.All, ndarray.Index(0)).ExpandDims(1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	xs, err := v.Read(context.Background())
	fmt.Println(v.Shape(), xs, err)
	// Output: [2 3] [1 2 1 3 4 3] <nil>
}

func ExampleView_ReadStrided() {
	a, err := ndarray.FromSlice([]int32{1, 2, 3, 4}, ndarray.Shape{2, 2}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Abort()
	// three rows of three; the items go to the columns 1 and 2 of the first two
	matrix := make([]int32, 9)
	err = a.View().ReadStrided(context.Background(), matrix[1:], []int64{3, 1})
	fmt.Println(matrix, err)
	// Output: [0 1 2 0 3 4 0 0 0] <nil>
}
