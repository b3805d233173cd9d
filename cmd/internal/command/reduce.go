package command

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/beside"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/groups"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/suggest"
	jobs "github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
)

// reduceOps are the operations of reduce. Quantiles have their fraction behind a colon.
func reduceOps() []string {
	return []string{"sum", "prod", "mean", "std", "var", "min", "max", "median", "quantile:Q", "any", "all", "count", "count_nonzero",
		"argmin", "argmax", "first", "middle", "last", "mode", "slope", "intercept", "pvalue", "longest_run"}
}

// reduceFlags are the flags of reduce.
type reduceFlags struct {
	calcFlags
	op, axes, selection string
	keep                bool
	nan                 string
	ddof                int

	by, every, label string
	minCount         int64
	groups           *whole.Groups // what they mean, or nil

	weigh   string
	weights *whole.Weights // what it means, or nil

	window           string
	center, complete bool
	windows          *whole.Window // what they mean, or nil
}

func reduceVerb(set *flag.FlagSet) action {
	var f reduceFlags
	f.declare(set)
	set.StringVar(&f.op, "op", "mean", "`OP` is "+strings.Join(reduceOps(), ", ")+
		", or several, such as mean,std,max, for a store of their results, or of a whole file tas_mean and so on; mean by default")
	set.StringVar(&f.axes, "axis", "",
		"reduce `AXES`: numbers or names of dimensions, such as 0,-1 or time; all by default")
	set.StringVar(&f.selection, "s", "", selectionUsage)
	set.BoolVar(&f.keep, "keepdims", false, "keep the reduced dimensions, with one item")
	f.declareNaN(set, "")
	set.IntVar(&f.ddof, "ddof", 0, "for std and var: divide by the number of items minus `N`")
	f.declareGroups(set)
	set.StringVar(&f.weigh, "weights", "", "for mean, sum, std and var: `WEIGHTS` of items: area of the cells, cos of the latitude, NAME of "+
		"an array that is near, or FILE::NAME")
	f.declareWindows(set)

	return func(ctx context.Context, std *streams, operands []string) error {
		f.scratch = &whole.Scratch{}
		defer f.scratch.Close()
		if len(operands) == 1 {
			operands = append(operands, "") // which is printed
		}
		if err := wantOperands(operands, "IN", "OUT"); err != nil {
			return err
		}

		to := targetOf(operands[1])
		if err := f.findMeaning(); err != nil {
			return err
		}
		closeWeights, err := f.findWeights(ctx, std)
		if err != nil {
			return err
		}
		defer closeWeights()
		_, keys, err := f.expressions()
		if err != nil {
			return err
		}
		if len(keys) == 1 && !to.is(storeFormat) {
			keys = nil
		}

		selection, err := parseSelection(f.selection)
		if err != nil {
			return err
		}

		if done, err := f.reduceWhole(ctx, std, place.Of(operands[0]), to, selection); done || err != nil {
			return err
		}

		evaluate := func(ctx context.Context, opened []*openedSource) ([]*compute.Expression, []*coords.Array, error) {
			return f.evaluatePart(ctx, opened[0], selection)
		}
		return f.calc(ctx, std, to, place.All(operands[:1]), keys, evaluate)
	}
}

// evaluatePart returns the results of the operations over a part of an array.
func (f *reduceFlags) evaluatePart(ctx context.Context, opened *openedSource, selection coords.Selection) (
	[]*compute.Expression, []*coords.Array, error) {
	part, err := coords.New(opened.src, f.weights.Near(opened.src, opened.Sibling)).Select(ctx, selection)
	if err != nil {
		return nil, nil, err
	}
	f.coordinate = beside.Of([]*coords.Array{part}).Coordinate
	if err := f.numberAxes(ctx, part); err != nil {
		return nil, nil, err
	}
	if part, err = f.groups.Array(ctx, part, opened.Sibling); err != nil {
		return nil, nil, err
	}

	texts, _, err := f.expressions()
	if err != nil {
		return nil, nil, err
	}
	if texts, err = f.windows.Completed(texts, f.axes, part.View.Shape()); err != nil {
		return nil, nil, err
	}
	f.findGroups = f.groups.By
	results, err := f.evaluate(ctx, texts, map[string]ndarray.Source{"x": part.View})
	if err != nil {
		return nil, nil, err
	}
	part, err = f.groups.Result(part)
	return results, []*coords.Array{part}, err
}

// weightedOps are the operations that take weights.
var weightedOps = []string{"mean", "sum", "std", "var"}

// findWeights finds the weights of -weights, and opens them if they are in another file.
func (f *reduceFlags) findWeights(ctx context.Context, std *streams) (done func(), err error) {
	done = func() {}
	if f.weigh == "" {
		return done, nil
	}
	f.weights = &whole.Weights{Kind: f.weigh}
	if !strings.Contains(f.weigh, place.Mark) {
		return done, nil
	}

	o, err := std.openSource(ctx, place.Of(f.weigh), "reduce", inAnyOrder(f.workers))
	if err != nil {
		return done, err
	}
	done = func() { _ = o.Close() }
	if err := f.values(o); err != nil {
		return done, err
	}
	f.weights.Own = o.src
	return done, nil
}

// declareGroups declares the flags about groups.
func (f *reduceFlags) declareGroups(set *flag.FlagSet) {
	set.StringVar(&f.by, "by", "", "have a result for each group of `KEYS`: "+strings.Join(groups.Keys(), ", ")+
		", coordinates of some name, or intervals such as bins(lat, -90, 0, 90); without -axis, nothing else is reduced")
	set.StringVar(&f.every, "every", "", "have a result for each of successive `STEPS`, such as 6h, 10d or 3mon, or lat=4,lon=4")
	set.StringVar(&f.label, "label", string(groups.Start), "the coordinates of periods are their `WHERE`: start, middle or end")
	set.Int64Var(&f.minCount, "min-count", 0, "results of fewer than `N` values are missing")
}

// What the flag -nan may be.
const (
	nanSkip      = "skip"
	nanPropagate = "propagate"
)

func (f *reduceFlags) declareNaN(set *flag.FlagSet, before string) {
	set.StringVar(&f.nan, "nan", nanSkip, before+"`HOW` values that are missing count: "+nanSkip+
		" leaves them out, "+nanPropagate+" makes results of them missing, as NumPy does")
}

// expressions returns what the flags mean as expressions of x, and the keys of their results.
func (f *reduceFlags) expressions() (texts, keys []string, err error) {
	if f.nan != nanSkip && f.nan != nanPropagate {
		return nil, nil, unknownValue("nan", "choice", f.nan, []string{nanSkip, nanPropagate})
	}

	options, err := f.arguments()
	if err != nil {
		return nil, nil, err
	}

	for _, op := range f.operations() {
		text, err := f.expression(op, options)
		if err != nil {
			return nil, nil, err
		}

		key := strings.ReplaceAll(op, ":", "-") // keys have no colons
		if slices.Contains(keys, key) {
			return nil, nil, usagef("-op: %s twice", op)
		}
		texts, keys = append(texts, text), append(keys, key)
	}

	if f.ddof != 0 && !slices.Contains(keys, "std") && !slices.Contains(keys, "var") {
		return nil, nil, usagef("-ddof is for std and var")
	}
	return texts, keys, nil
}

// operations returns those of -op.
func (f *reduceFlags) operations() (ops []string) {
	for op := range strings.SplitSeq(f.op, ",") {
		ops = append(ops, strings.TrimSpace(op))
	}
	return ops
}

// meantOp returns a question that proposes an operation instead of an unknown one.
func meantOp(op string) string {
	other := map[string]string{"avg": "mean", "average": "mean", "stdev": "std", "stddev": "std",
		"variance": "var", "maximum": "max", "minimum": "min", "total": "sum", "product": "prod"}[op]
	if other != "" {
		return "; did you mean " + other + "?"
	}
	return suggest.Question(op, reduceOps())
}

// numberAxes replaces the names of dimensions by their numbers. It fails for axes that an array
// does not have.
func (f *reduceFlags) numberAxes(ctx context.Context, a *coords.Array) error {
	if f.axes == "" {
		return nil
	}

	dims := len(a.Axes)
	var names, numbers []string
	for _, axis := range a.Axes {
		if axis.Name != "" {
			names = append(names, axis.Name)
		}
	}

	for axis := range strings.SplitSeq(f.axes, ",") {
		axis = strings.TrimSpace(axis)
		n, err := strconv.Atoi(axis)
		switch {
		case err == nil && (n >= dims || n < -dims):
			return usagef("-axis is %d, but the array has %s", n, console.Count(dims, "dimension"))
		case err != nil:
			n = a.AxisNamed(ctx, axis)
		}

		switch {
		case n >= 0 || err == nil:
			numbers = append(numbers, strconv.Itoa(n))
		case names == nil:
			return usagef("-axis: no dimension is named %q: none has a name, so write numbers from 0", axis)
		default:
			return usagef("-axis: no dimension is named %q, but %s%s", axis, strings.Join(names, ", "),
				suggest.Question(axis, names))
		}
	}

	f.axes = strings.Join(numbers, ",")
	return nil
}

// arguments returns the arguments that all operations have.
func (f *reduceFlags) arguments() (args []string, err error) {
	if f.axes != "" {
		var axes []string
		for axis := range strings.SplitSeq(f.axes, ",") {
			axis = strings.TrimSpace(axis)
			if _, err := strconv.Atoi(axis); err != nil {
				if axis == "" || strings.ContainsAny(axis, "'\\\n") {
					return nil, usagef("-axis: unknown axis %q: want numbers or names, such as 0,-1 or time", axis)
				}
				axis = "'" + axis + "'"
			}
			axes = append(axes, axis)
		}
		args = append(args, fmt.Sprintf("axis=(%s,)", strings.Join(axes, ", ")))
	}

	if f.groups != nil {
		args = append(args, "by='"+whole.ByName+"'")
	}
	if f.keep {
		args = append(args, "keepdims=True")
	}
	if f.windows != nil {
		args = append(args, f.windows.Arguments()...)
	}
	return args, nil
}

// expression returns an operation as an expression of x, with the arguments that all have.
func (f *reduceFlags) expression(text string, options []string) (string, error) {
	op, fraction, _ := strings.Cut(text, ":")
	args := []string{"x"}
	switch {
	case op == "quantile":
		if q, err := strconv.ParseFloat(fraction, 64); err != nil || !(q >= 0 && q <= 1) {
			return "", usagef("-op: write quantile:0.9, with a fraction from 0 to 1")
		}
		args = append(args, fraction)
	case fraction != "" || !slices.Contains(reduceOps(), op):
		return "", usagef("-op: unknown operation %q%s", op, meantOp(op))
	}

	if f.windows != nil && slices.Contains([]string{"argmin", "argmax", "first", "last", "count_nonzero"}, op) {
		return "", usagef("-op: there is no %s of windows", op)
	}

	if f.weights != nil && !slices.Contains(weightedOps, op) {
		return "", usagef("-weights is for %s, not for %s", strings.Join(weightedOps, ", "), op)
	}

	args = append(args, options...)
	if f.ddof != 0 && (op == "std" || op == "var") {
		args = append(args, fmt.Sprintf("ddof=%d", f.ddof))
	}
	if f.nan == nanSkip && !slices.Contains([]string{"all", "count", "count_nonzero", "first", "middle", "last", "longest_run"}, op) {
		op = "nan" + op
	}
	text = fmt.Sprintf("%s(%s)", op, strings.Join(args, ", "))
	if f.weights != nil {
		text = strings.TrimSuffix(text, ")") + whole.WeightsArgument + ")"
	}
	if f.minCount > 0 {
		text = fmt.Sprintf("where(count(%s) >= %d, %s, nan)", strings.Join(append([]string{"x"}, options...), ", "), f.minCount, text)
	}
	return text, nil
}

// reduceWhole reduces every array of a file that has the dimensions. It reports false if that is
// not what is meant: the operands are single arrays.
func (f *reduceFlags) reduceWhole(ctx context.Context, std *streams, from place.Place, to target,
	selection coords.Selection) (bool, error) {
	row := wholeFormat(to)
	if row == nil {
		return false, nil
	}
	ops := f.operations()
	w, err := std.openWhole(ctx, from, f.workers)
	if w == nil || err != nil {
		return false, err
	}
	defer w.Close()

	names, single, err := f.axesNamed(w)
	if err != nil || single {
		return false, err
	}
	if len(w.meant) == 1 && (row.Native || len(ops) > 1) {
		return false, nil // results have the names of the operations
	}
	o, err := f.options()
	if err != nil {
		return true, err
	}
	if err := f.checkWhole(ctx, std, to, row, o, from); err != nil {
		return true, err
	}
	if f.history {
		w.Record(std.historyLine())
	}

	as := &shaping{chosen: selection, selection: f.selection, chunks: o.ChunkShape, blocks: o.BlockShape, named: f.named}
	s := w.saver(ctx, std, to, o, "reducing")
	if f.selection != "" {
		if _, err := as.check(ctx, std, w.Name, w.keys, w.Near); err != nil {
			return true, err
		}
		s.source = as.wrap(ctx, s.source, w.Near)
	}

	memory, err := f.budget(ctx)
	if err != nil {
		return true, err
	}
	r := &whole.Reduction{Ops: ops, KeepDims: f.keep, Groups: f.groups, Weights: f.weights,
		Windows: f.windows.OfItems(), Least: int64(f.ddof) + 1,
		Expression: f.expressionOver, Options: compute.CalcOptions{Workers: f.workers, Memory: memory, By: f.groups.By}}
	defer r.Close()
	if f.groups != nil {
		done, err := w.divide(ctx, f.groups, s.source)
		defer done()
		if err != nil {
			return true, err
		}
	}
	if err := f.reduceEach(ctx, w, s, r, names); err != nil {
		return true, err
	}
	s.source = as.grid(s.source)
	return true, s.saveParts(ctx, row, s.bytes(), &shaping{}, nil)
}

// axesNamed returns the names of the dimensions to reduce; nil for all. A single array is reduced
// alone if its dimensions have no names.
func (f *reduceFlags) axesNamed(w *wholeFile) (names []string, single bool, err error) {
	if slices.Contains(w.dims(), "") || w.dims() == nil {
		return nil, len(w.meant) == 1, nil
	}
	if f.axes == "" && f.groups != nil {
		return []string{}, false, nil
	}
	if f.axes == "" {
		return nil, false, nil
	}
	for axis := range strings.SplitSeq(f.axes, ",") {
		name, err := w.named(strings.TrimSpace(axis))
		if err != nil {
			return nil, false, err
		}
		names = append(names, name)
	}
	return names, false, nil
}

// expressionOver returns an operation over some axes as an expression of x.
func (f *reduceFlags) expressionOver(op string, axes []int) (string, error) {
	one := *f
	var numbers []string
	for _, axis := range axes {
		numbers = append(numbers, strconv.Itoa(axis))
	}
	one.axes = strings.Join(numbers, ",")
	options, err := one.arguments()
	if err != nil {
		return "", err
	}
	return one.expression(op, options)
}

// reductions sets what -reduce and its flags mean.
func (f *jobFlags) reductions(o *jobs.Options, out target) error {
	f.op = f.ops
	texts, keys, err := f.expressions()
	if err != nil {
		return err
	}

	o.Kind = jobs.Reduce
	o.Leaves = nil
	if len(keys) == 1 && !out.is(storeFormat) {
		o.Expression = texts[0]
		return nil
	}

	for i, key := range keys {
		o.Leaves = append(o.Leaves, jobs.Leaf{Key: key, Expression: texts[i]})
	}
	return nil
}
