package main

import (
	"context"
	"errors"
	"flag"

	"github.com/cairn-go/cairn/ndarray"
)

func concatVerb(set *flag.FlagSet) action {
	var f copyFlags
	f.declare(set)
	axis := set.Int("axis", 0, "dimension `N` along which arrays follow each other, negative from the end; 0 by default")
	stack := set.Bool("stack", false, "put the arrays along a new dimension, N, instead of one that they have")
	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) < 2 {
			return wantOperands(operands, "OUT", "IN…")
		}
		o, err := f.options()
		if err != nil {
			return err
		}
		if f.plan || f.blocks == "auto" && f.chunks != "auto" {
			return usagef("-plan, and -blocks auto without -chunks auto, are not for several arrays")
		}
		if err := f.forLeaf(operands[0], o); err != nil {
			return err
		}
		return writeOut(ctx, operands[0], f.force, func(path string) error {
			return f.concat(ctx, std, path, operands[1:], *axis, *stack, o)
		})
	}
}

// concat makes the array out of others.
func (f *copyFlags) concat(ctx context.Context, std *streams, out string, in []string, axis int, stack bool, o *ndarray.CopyOptions) error {
	var arrays []*ndarray.Untyped
	var total int64
	for _, path := range in {
		if same(path, out) {
			return usagef("OUT is among the arrays, %s", out)
		}
		c, err := openArray(path, o.Workers)
		if err != nil {
			return err
		}
		defer c.close()
		u := c.array
		if len(arrays) == 0 {
			if err := f.setParameter(o, u.Info()); err != nil {
				return err
			}
		}
		arrays = append(arrays, u)
		total += u.Len() * int64(u.TypeSize())
	}
	bar := std.newBar("joining", total)
	defer bar.Close()
	o.Progress = follow(bar)
	join := ndarray.ConcatUntyped
	if stack {
		join = ndarray.StackUntyped
	}
	u, err := join(ctx, out, axis, arrays, o)
	if err != nil {
		return err
	}
	if err := u.Commit(ctx); err != nil {
		return errors.Join(err, u.Abort())
	}
	return u.Close()
}
