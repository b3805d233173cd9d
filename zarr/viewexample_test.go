package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

func ExampleNewView() {
	ctx := context.Background()
	values, err := ndarray.FromSlice([]float32{280, 281, 282, 283, 284, 285}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		log.Fatal(err)
	}
	v, err := zarr.NewView(ctx, values, &ndarray.Labels{Dims: []string{"time", "x"}})
	if err != nil {
		log.Fatal(err)
	}
	group := zarr.GroupView{Attributes: meta.Map{{Key: "title", Value: "a day"}},
		Members: []zarr.Member{{Path: "t2m", Array: v}}}
	doc, err := group.Document(".zgroup")
	fmt.Printf("%s %v\n", doc, err)

	// A server would answer with the chunk, or that it is not found.
	version, at, ok := v.ParseKey("c/0/0")
	fmt.Println(version, at, ok)
	chunk, _, err := v.AppendChunk(ctx, nil, version, at)
	fmt.Println(len(chunk) > 0, err)
	// Output:
	// {
	//   "zarr_format": 2
	// } <nil>
	// 3 [0 0] true
	// true <nil>
}
