package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/cmd/cairn/internal/suggest"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/coords"
	"github.com/cairn-go/cairn/ndarray"
)

// reduceOps are the operations of reduce. Quantiles have their fraction behind a colon.
func reduceOps() []string {
	return []string{"sum", "prod", "mean", "std", "var", "min", "max", "median", "quantile:Q", "any", "all", "count",
		"argmin", "argmax", "first", "last"}
}

// reduceFlags are the flags of reduce.
type reduceFlags struct {
	calcFlags
	op, axes, selection string
	keep, skipNaN       bool
	ddof                int
}

func reduceVerb(set *flag.FlagSet) action {
	var f reduceFlags
	f.declare(set)
	set.StringVar(&f.op, "op", "mean", "`OP` is "+strings.Join(reduceOps(), ", ")+"; mean by default")
	set.StringVar(&f.axes, "axis", "",
		"reduce `AXES`: numbers or names of dimensions, such as 0,-1 or time; all by default")
	set.StringVar(&f.selection, "s", "", selectionUsage)
	set.BoolVar(&f.keep, "keepdims", false, "keep the reduced dimensions, with one item")
	set.BoolVar(&f.skipNaN, "skipnan", false, "ignore NaN")
	set.IntVar(&f.ddof, "ddof", 0, "for std and var: divide by the number of items minus `N`")
	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 1 {
			operands = append(operands, "") // which is printed
		}
		if err := wantOperands(operands, "IN", "OUT"); err != nil {
			return err
		}
		text, err := f.expression()
		if err != nil {
			return err
		}
		selection, err := parseSelection(f.selection)
		if err != nil {
			return err
		}
		evaluate := func(ctx context.Context, opened []*openedSource) (*compute.Expression, []*coords.Array, error) {
			part, err := opened[0].part(ctx, selection)
			if err != nil {
				return nil, nil, err
			}
			e, err := f.evaluate(ctx, text, map[string]ndarray.Source{"x": part.View})
			return e, []*coords.Array{part}, err
		}
		return f.calc(ctx, std, operands[1], operands[:1], evaluate)
	}
}

// expression returns what the flags mean as an expression of x.
func (f *reduceFlags) expression() (string, error) {
	op, fraction, _ := strings.Cut(f.op, ":")
	args := []string{"x"}
	switch {
	case op == "quantile":
		if q, err := strconv.ParseFloat(fraction, 64); err != nil || !(q >= 0 && q <= 1) {
			return "", usagef("-op: write quantile:0.9, with a fraction from 0 to 1")
		}
		args = append(args, fraction)
	case fraction != "" || !slices.Contains(reduceOps(), op):
		return "", usagef("-op: unknown operation %q%s", f.op, suggest.Question(op, reduceOps()))
	}
	if f.axes != "" {
		var axes []string
		for axis := range strings.SplitSeq(f.axes, ",") {
			axis = strings.TrimSpace(axis)
			if _, err := strconv.Atoi(axis); err != nil {
				if axis == "" || strings.ContainsAny(axis, "'\\\n") {
					return "", usagef("-axis: %q is no axis, write such as 0,-1 or time", axis)
				}
				axis = "'" + axis + "'"
			}
			axes = append(axes, axis)
		}
		args = append(args, fmt.Sprintf("axis=(%s,)", strings.Join(axes, ", ")))
	}
	if f.keep {
		args = append(args, "keepdims=True")
	}
	if f.ddof != 0 {
		if op != "std" && op != "var" {
			return "", usagef("-ddof is for std and var")
		}
		args = append(args, fmt.Sprintf("ddof=%d", f.ddof))
	}
	if f.skipNaN && !slices.Contains([]string{"any", "all", "count", "first", "last"}, op) {
		op = "nan" + op
	}
	return fmt.Sprintf("%s(%s)", op, strings.Join(args, ", ")), nil
}
