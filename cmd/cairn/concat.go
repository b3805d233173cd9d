package main

import (
	"context"
	"flag"

	"github.com/cairn-go/cairn/ndarray"
)

func concatVerb(set *flag.FlagSet) action {
	var f copyFlags
	f.declare(set)
	axis := set.Int("axis", 0, "join along axis `N`, counted from the last if negative; 0 by default")
	stack := set.Bool("stack", false, "join along a new axis, at position N")
	outFlag := set.String("o", "", "write `OUT`; the last operand by default")
	return func(ctx context.Context, std *streams, operands []string) error {
		in, out := operands, *outFlag
		if out == "" && len(operands) >= 2 {
			in, out = operands[:len(operands)-1], operands[len(operands)-1]
		}
		if out == "" || len(in) == 0 {
			return wantOperands(operands, "IN…", "OUT")
		}
		in, err := std.expand(ctx, in)
		if err != nil {
			return err
		}
		o, err := f.options()
		if err != nil {
			return err
		}
		if f.blocks == "auto" && f.chunks != "auto" {
			return usagef("-blocks auto for several arrays needs -chunks auto")
		}
		if err := std.checkOutput(out, frameFormat, f.force, in...); err != nil {
			return err
		}
		if err := f.forLeaf(out, o); err != nil {
			return err
		}
		return std.writeOut(ctx, out, f.force, func(path string) error {
			return f.concat(ctx, std, path, in, *axis, *stack, o)
		})
	}
}

// concat joins the arrays of in along an axis.
func (f *copyFlags) concat(ctx context.Context, std *streams, out string, in []string, axis int, stack bool, o *ndarray.CopyOptions) error {
	var arrays []ndarray.Source
	var total int64
	for _, path := range in {
		opened, err := std.openSource(ctx, path, "concat", o.Workers)
		if err != nil {
			return err
		}
		defer opened.close()
		arrays = append(arrays, opened.src)
		total += bytesOf(opened.src)
	}
	bar := std.newBar("joining", total)
	defer bar.Close()
	o.Progress = follow(bar)
	join := ndarray.Concat
	if stack {
		join = ndarray.Stack
	}
	return ndarray.Save(ctx, out, join(axis, arrays...), o)
}
