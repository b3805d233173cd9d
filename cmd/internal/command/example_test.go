package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/npy"
)

// A text array goes in through standard input, and a part of it comes out.
func Example() {
	dir, err := os.MkdirTemp("", "cairn-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	dtype, err := meta.ParseDType("|S6")
	if err != nil {
		panic(err)
	}
	h := npy.Header{DType: dtype, Shape: []int64{2, 2}}
	file := append(h.Append(nil), "north eastern south western "[:24]...)

	path := filepath.Join(dir, "words.b2nd")
	ctx := context.Background()
	fmt.Println(run(ctx, []string{"import", "-", path}, bytes.NewReader(file), os.Stdout, os.Stdout))
	var out strings.Builder
	fmt.Println(run(ctx, []string{"cat", "-s", "0", path}, nil, &out, os.Stdout))
	fmt.Printf("%q\n", out.String())
	// Output:
	// 0
	// 0
	// "north easter"
}
