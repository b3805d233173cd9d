package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"

	"github.com/cairn-go/cairn/ndarray"
)

func headVerb(set *flag.FlagSet) action {
	n := set.Int64("n", 10, "print the first `N` rows, or N items if there is one dimension; 10 by default")
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "PATH"); err != nil {
			return err
		}
		if *n < 0 {
			return usagef("-n is %d, must not be negative", *n)
		}
		o, err := std.openSource(ctx, operands[0], "head", 0)
		if err != nil {
			return err
		}
		defer o.close()
		w := bufio.NewWriter(std.output(ctx))
		shape, dtype := shapeText(o.src.Shape()), oneLine(o.src.DType().String())
		fmt.Fprintf(w, "# %s %s\n", std.plain(shape), dtype)
		g := newGrid(w, o.src, std.width(), std.plain("…"))
		if err := eachRow(ctx, o.src, *n, g.most, g.rows); err != nil {
			return err
		}
		return w.Flush()
	}
}

// rowsAtOnce is how many rows are read, aligned and printed at a time.
const rowsAtOnce = 256

// eachRow reads the first n rows of an array, at most the first most items of each, and calls do
// with some rows of one plane and the coordinates of the first item. A row lies along the last
// dimension; in an array of one dimension it is an item.
func eachRow(
	ctx context.Context, src ndarray.Source, n, most int64, do func(at []int64, rows int64, data []byte),
) error {
	dims, itemSize := len(src.Shape()), int64(src.DType().Size())
	shape := append(ndarray.Shape{}, src.Shape()...)
	for len(shape) < 2 {
		shape = append(shape, 1)
	}
	last := len(shape) - 1
	items := min(shape[last], most)
	if items == 0 {
		return nil
	}
	n = min(n, bytesOf(src)/itemSize/shape[last])
	for done := int64(0); done < n; {
		at, stop := make([]int64, len(shape)), make([]int64, len(shape))
		rest := done
		for i := last - 1; i >= 0; i-- {
			at[i], rest = rest%shape[i], rest/shape[i]
			stop[i] = at[i] + 1
		}
		rows := min(n-done, shape[last-1]-at[last-1], rowsAtOnce)
		stop[last-1], stop[last] = at[last-1]+rows, items
		data := make([]byte, rows*items*itemSize)
		if err := src.ReadBytes(ctx, data, at[:dims], stop[:dims]); err != nil {
			return err
		}
		do(at, rows, data)
		done += rows
	}
	return nil
}
