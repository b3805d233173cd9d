package ndarray_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/ndarray"
)

// A logger appends rows and commits now and then. A follower, here in the same process, sees each
// commit without a lock and prints the new rows, as tail -f does.
func ExampleArray_Refresh() {
	dir, err := os.MkdirTemp("", "cairn")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "log.b2nd")

	logger, err := ndarray.Create[int32](path, ndarray.Shape{0, 3}, nil)
	must(err)
	defer logger.Abort()     // does nothing after Close
	must(logger.Commit(ctx)) // creates the file

	follower, err := ndarray.OpenAs[int32](path, nil)
	must(err)
	seen := int64(0)
	follow := func() { // a program would do this every second
		grew, err := follower.Refresh(ctx)
		must(err)
		if !grew {
			fmt.Println("nothing new")
			return
		}
		rows, err := follower.Read(ctx, ndarray.From(seen))
		must(err)
		for len(rows) > 0 {
			fmt.Println(rows[:3])
			rows = rows[3:]
		}
		seen = follower.Shape()[0]
	}

	must(logger.Append(ctx, 0, []int32{1, 2, 3}))
	follow()
	must(logger.Append(ctx, 0, []int32{4, 5, 6}))
	must(logger.Commit(ctx))
	follow()
	must(logger.Append(ctx, 0, []int32{7, 8, 9}))
	must(logger.Commit(ctx))
	follow()
	must(follower.Close())
	must(logger.Close())
	// Output:
	// nothing new
	// [1 2 3]
	// [4 5 6]
	// [7 8 9]
}
