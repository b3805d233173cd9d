package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"

	"github.com/cairn-go/cairn/meta"
)

func headVerb(set *flag.FlagSet) action {
	n := set.Int64("n", 10, "number of items")
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "PATH"); err != nil {
			return err
		}
		if *n < 0 {
			return usagef("-n is %d, must not be negative", *n)
		}
		c, err := std.openContainer(ctx, operands[0], 0)
		if err != nil {
			return err
		}
		defer c.close()
		if c.array == nil {
			return fmt.Errorf("%s is a plain frame: head needs an array", operands[0])
		}
		w := bufio.NewWriter(std.output(ctx))
		fmt.Fprintf(w, "# %s %s\n", shapeText(c.array.Shape()), oneLine(c.array.DTypeString()))
		dtype, err := c.array.DType()
		if err != nil || dtype.Size() != c.array.TypeSize() {
			dtype = meta.DType{} // bytes
		}
		left := *n
		for item, err := range c.array.Items(ctx) {
			if err != nil {
				return err
			}
			if left--; left < 0 {
				break
			}
			fmt.Fprintf(w, "%v  %s\n", item.At, oneLine(itemText(dtype, item.Data)))
		}
		return w.Flush()
	}
}
