package tree_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/tree"
)

// All arrays of a file, whatever its format, or of a directory of files.
func ExampleOpen() {
	ctx := context.Background()
	t, err := tree.Open(ctx, "../hdf5/testdata/scales-latest.h5", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	for n := range ndarray.Walk(ctx, t, "/") {
		if n.Kind != ndarray.ArrayNode {
			continue
		}
		if a, err := t.Open(ctx, n.Key); err == nil {
			fmt.Println(n.Key, a.Shape(), a.DType())
			if c, ok := a.(io.Closer); ok {
				c.Close() // of a directory, an array keeps its file open
			}
		}
	}
	// Output:
	// /data [3 4 5] <f4
	// /g/inner [4 5] <f4
	// /g/x [5] <i8
	// /lat [4] <f8
	// /time [3] <f8
}
