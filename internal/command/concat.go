package command

import (
	"context"
	"flag"
	"fmt"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/coords"
	"github.com/cairn-go/cairn/ndarray"
)

func concatVerb(set *flag.FlagSet) action {
	var f copyFlags
	f.declare(set)
	axis := set.String("axis", "0", "join along `AXIS`: "+axisUsage)
	stack := set.Bool("stack", false, "join along a new axis, at the position that -axis counts")
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
		return f.concat(ctx, std, out, in, *axis, *stack, o)
	}
}

// concat joins the arrays of in along an axis.
func (f *copyFlags) concat(ctx context.Context, std *streams, out string, in []string,
	axis string, stack bool, o *ndarray.CopyOptions) error {
	var arrays []ndarray.Source
	var labelled []*coords.Array
	var total int64
	for _, path := range in {
		opened, err := std.openSource(ctx, path, "concat", o.Workers)
		if err != nil {
			return err
		}
		defer opened.close()
		arrays, labelled = append(arrays, opened.src), append(labelled, coords.New(opened.src, opened.sibling))
		total += bytesOf(opened.src)
	}
	bar := std.newBar("joining", total)
	defer bar.Close()
	o.Progress = follow(bar)
	joined, at, err := joinedAlong(axis, stack, arrays, in)
	if err == nil {
		err = joined.Err()
	}
	if err != nil {
		return err
	}
	keep, err := joinedCoordinates(ctx, labelled, at)
	if err != nil {
		return err
	}
	o.FS = std.sparseIn(out, f.sparse)
	return std.writeOut(ctx, output{out, f.force, f.sparse, keep}, func(path string) error {
		return ndarray.Save(ctx, path, joined, o)
	})
}

// joinedAlong returns the view of arrays that are joined along an axis, and its number, or along a
// new one, with -1.
func joinedAlong(axis string, stack bool, arrays []ndarray.Source, names []string) (ndarray.UntypedView, int, error) {
	for i, a := range arrays {
		if have, want := a.DType().String(), arrays[0].DType().String(); have != want {
			return ndarray.UntypedView{}, 0, fmt.Errorf("%s has dtype %s, and %s has %s: %w", names[i], have, names[0], want,
				cairn.ErrType)
		}
	}
	if stack {
		at, err := strconv.Atoi(axis)
		if err != nil {
			return ndarray.UntypedView{}, 0, usagef("-axis: %q names no place for the new axis that -stack makes; "+
				"give a number", axis)
		}
		return ndarray.Stack(at, arrays...), -1, nil
	}
	at, err := axisOf(axis, arrays[0])
	if err != nil {
		return ndarray.UntypedView{}, 0, err
	}
	return ndarray.Concat(at, arrays...), at, nil
}
