package ndarray_test

import (
	"fmt"

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

func ExampleArray_Blocks() {
	a, err := ndarray.FromSlice([]int32{3, -1, 4, -1, -5, 9}, ndarray.Shape{2, 3}, nil)
	must(err)
	negative := int64(0)
	for b, err := range a.Blocks(ctx) {
		must(err)
		for _, v := range b.Values {
			if v < 0 {
				negative += b.Times // more than 1 where a chunk repeats one value
			}
		}
	}
	fmt.Println(negative)
	// Output: 3
}
