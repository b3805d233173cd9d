package ndarray_test

import (
	"fmt"
	"sync/atomic"

	"github.com/cairn-go/cairn/ndarray"
)

func ExampleUntyped_Chunks() {
	a, err := ndarray.New[int32](ndarray.Shape{300, 400}, &ndarray.Options{ChunkShape: ndarray.Shape{100, 400}})
	must(err)
	must(a.Fill(ctx, 7, ndarray.Range(100, 200)))
	for c, err := range a.Chunks(ctx) {
		must(err)
		fmt.Println(c.Index, c.Start, c.Stop, c.Kind, c.Item)
	}
	// Output:
	// 0 [0 0] [100 400] zeros [0 0 0 0]
	// 1 [100 0] [200 400] value [7 0 0 0]
	// 2 [200 0] [300 400] zeros [0 0 0 0]
}

func ExampleArray_ForEachBlock() {
	a, err := ndarray.FromSlice([]int32{3, -1, 4, -1, -5, 9}, ndarray.Shape{2, 3}, nil)
	must(err)
	var negative atomic.Int64
	must(a.ForEachBlock(ctx, func(b *ndarray.Block[int32]) error {
		if b.Values == nil { // a special chunk
			if b.Value < 0 {
				negative.Add(b.Items())
			}
			return nil
		}
		for _, v := range b.Values {
			if v < 0 {
				negative.Add(1)
			}
		}
		return nil
	}))
	fmt.Println(negative.Load())
	// Output: 3
}
