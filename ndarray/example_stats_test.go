package ndarray_test

import (
	"fmt"

	"github.com/cairn-go/cairn/ndarray"
)

func ExampleUntyped_Stats() {
	a, err := ndarray.New[int32](ndarray.Shape{400, 100}, &ndarray.Options{ChunkShape: ndarray.Shape{100, 100}, BlockShape: ndarray.Shape{10, 100}})
	must(err)
	rows := make([]int32, 100*100)
	for i := range rows {
		rows[i] = int32(i)
	}
	must(a.Write(ctx, rows, ndarray.Range(0, 100)))
	before := a.Stats()
	_, err = a.Read(ctx, ndarray.Range(95, 105))
	must(err)
	s := a.Stats().Sub(before)
	fmt.Println(s.BlocksDecoded, "block decoded,", s.BlocksSkipped, "left out,", s.ChunksSpecial, "chunk of one value")
	// Output: 1 block decoded, 9 left out, 1 chunk of one value
}

func ExampleWithProgress() {
	a, err := ndarray.New[int32](ndarray.Shape{400, 100}, &ndarray.Options{ChunkShape: ndarray.Shape{100, 100}})
	must(err)
	_, err = a.Read(ndarray.WithProgress(ctx, func(done, total int64) {
		fmt.Printf("%d %%\n", 100*done/total)
	}))
	must(err)
	// Output:
	// 25 %
	// 50 %
	// 75 %
	// 100 %
}
