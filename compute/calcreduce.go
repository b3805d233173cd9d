package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
)

// A namedReduction is a reduction of an expression.
type namedReduction struct {
	// pick returns the reduction for items of a kind, or nil if there is none.
	pick func(f *family, k kernel.Kind) reduction
	// run is for what takes a pass of its own, instead of pick.
	run func(ctx context.Context, c reduceCall) (*ndarray.Untyped, error)

	skip bool // ignores NaN
	// likeInput says that the result of floats has their kind.
	likeInput bool
	quantile  bool // there is a second argument
	two       bool // the second argument is another array
	trend     bool // along coordinates of one axis
	condition bool // of items that are not 0
	oneAxis   bool // along one axis
	sameKind  bool // the result has the kind of the argument
	// cumulative says that the result has the shape of the argument, and one axis is needed.
	cumulative bool
}

// A reduceCall is what a reduction is called with.
type reduceCall struct {
	src  ndarray.Source
	o    Options
	q    float64
	kind kernel.Kind
}

// reductions returns the reductions by their names.
func reductions() map[string]namedReduction {
	all := map[string]namedReduction{
		"sum":      {pick: namedSum, likeInput: true},
		"prod":     {pick: namedProduct, likeInput: true},
		"mean":     {pick: func(f *family, _ kernel.Kind) reduction { return f.mean }, likeInput: true},
		"var":      {pick: func(f *family, _ kernel.Kind) reduction { return f.variance }, likeInput: true},
		"std":      {pick: func(f *family, _ kernel.Kind) reduction { return f.std }, likeInput: true},
		"any":      {pick: func(f *family, _ kernel.Kind) reduction { return f.any }},
		"all":      {pick: func(f *family, _ kernel.Kind) reduction { return f.all }},
		"count":    {pick: func(f *family, _ kernel.Kind) reduction { return f.countValid }},
		"argmin":   {pick: func(f *family, _ kernel.Kind) reduction { return f.argLeast }},
		"argmax":   {pick: func(f *family, _ kernel.Kind) reduction { return f.argMost }},
		"min":      {pick: func(f *family, _ kernel.Kind) reduction { return f.least }},
		"max":      {pick: func(f *family, _ kernel.Kind) reduction { return f.most }},
		"median":   {run: namedQuantile, likeInput: true},
		"quantile": {run: namedQuantile, likeInput: true, quantile: true},
	}

	all["cumsum"] = namedReduction{run: cumulative("0", CumSum[int64], CumSum[uint64], CumSum[float64]),
		likeInput: true, cumulative: true}
	all["cumprod"] = namedReduction{run: cumulative("1", CumProd[int64], CumProd[uint64], CumProd[float64]),
		likeInput: true, cumulative: true}

	statistics(all)
	for _, name := range []string{
		"cumsum", "cumprod", "corr", "cov", "slope", "intercept", "pvalue", "mode", "sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "median", "quantile",
		"any",
	} {
		r := all[name]
		r.skip = true
		all["nan"+name] = r
	}

	all["count_nonzero"] = namedReduction{pick: func(f *family, _ kernel.Kind) reduction { return f.count }}
	all["amin"] = all["min"]
	all["amax"] = all["max"]
	all["first"] = namedReduction{run: endOf(atFirst)}
	all["last"] = namedReduction{run: endOf(atLast)}
	return all
}

// totalOf returns a value of the type in which NumPy adds items of a kind, except that floats are
// added in float64 and complex numbers in complex128.
func totalOf(k kernel.Kind) any {
	switch {
	case k <= kernel.Int64:
		return int64(0)
	case k <= kernel.Uint64:
		return uint64(0)
	case k <= kernel.Float64:
		return float64(0)
	}
	return complex128(0)
}

func namedSum(f *family, k kernel.Kind) reduction {
	if f.sum == nil {
		return nil
	}
	if f.weighted {
		return f.sum(float64(0))
	}
	return f.sum(totalOf(k))
}

func namedProduct(f *family, k kernel.Kind) reduction {
	if f.product == nil {
		return nil
	}
	return f.product(totalOf(k))
}

func untyped[T any](a ndarray.Array[T], err error) (*ndarray.Untyped, error) { return a.Untyped, err }

func namedQuantile(ctx context.Context, c reduceCall) (*ndarray.Untyped, error) {
	return untyped(Quantile(ctx, c.src, c.q, &c.o))
}

// cumulating is CumSum or CumProd.
type cumulating[R any] func(context.Context, string, ndarray.Source, int, *ndarray.Options) (ndarray.Array[R], error)

// cumulative returns cumulative sums or products in the type that NumPy uses.
func cumulative(none string, signed cumulating[int64], unsigned cumulating[uint64], floats cumulating[float64]) func(
	context.Context, reduceCall) (*ndarray.Untyped, error) {
	return func(ctx context.Context, c reduceCall) (*ndarray.Untyped, error) {
		axis := c.o.Axes[0]
		if c.o.SkipNaN && c.kind >= kernel.Float16 {
			e, err := Calc(ctx, "where(isnan(x), "+none+", x)", map[string]ndarray.Source{"x": c.src}, &CalcOptions{Memory: c.o.Memory})
			if err != nil {
				return nil, err
			}
			c.src = e
		}
		o := &ndarray.Options{Memory: c.o.Memory, Level: 1}

		switch {
		case c.kind <= kernel.Int64:
			return untyped(signed(ctx, "", c.src, axis, o))
		case c.kind <= kernel.Uint64:
			return untyped(unsigned(ctx, "", c.src, axis, o))
		}
		return untyped(floats(ctx, "", c.src, axis, o))
	}
}

// A bound is a reduction with its arguments.
type bound struct {
	namedReduction
	name string
	of   *term
	o    *Options
	q    float64
	by   string // name of groups, or ""
	each bool   // items have the result of their group

	weights, with *besides // or nil

	window Window // of groups, if there are any
	shaped bool   // the result has the shape of the argument
}

// key identifies a bound among those of one expression.
func (r *bound) key() []any {
	return []any{r.name, r.of.id, r.o.Axes, r.o.KeepDims, r.o.DDoF, r.q, r.by, r.each, r.weights.id(), r.with.id(), r.window}
}

// reduction returns the term of a reduction, which it computes.
func (b *binder) reduction(ctx context.Context, n *expr.Node) (*term, error) {
	r, err := b.boundTo(ctx, n)
	if err != nil {
		return nil, err
	}

	return b.intern(func() (*term, error) {
		t, err := b.reduced(ctx, n, r)
		if err != nil {
			return t, err
		}

		t.attributes = resultAttributes(n, []*term{r.of})
		if r.trend && r.with.axes != nil {
			t.attributes = r.trendAttributes(t.attributes)
		}
		if r.shaped {
			t = withNaN(t)
		}
		return t, nil
	}, r.key()...)
}

// boundTo binds the arguments of a reduction.
func (b *binder) boundTo(ctx context.Context, n *expr.Node) (*bound, error) {
	r := &bound{namedReduction: b.reductions[n.Text], name: n.Text, o: &Options{Memory: b.options.Memory}, q: 0.5}
	r.o.SkipNaN = r.skip

	names := []string{"axis"}
	if r.quantile {
		names = []string{"q", "axis"}
	}
	if r.two {
		names = []string{"with", "axis"}
	}
	if len(n.Args) == 0 || len(n.Args) > len(names)+1 {
		return nil, fmt.Errorf("%s takes %d arguments and axis=, not %d: %w",
			n.Text, len(names), len(n.Args), cairn.ErrBounds)
	}

	var err error
	if r.of, err = b.bind(ctx, n.Args[0]); err != nil {
		return nil, err
	}

	if err := b.bindBeside(ctx, r, n); err != nil {
		return nil, err
	}

	keys := slices.Clone(n.Keys)
	for i, a := range n.Args[1:] {
		keys = append(keys, expr.Key{Name: names[i], Pos: a.Pos, Value: a})
	}
	for _, key := range keys {
		if err := b.option(ctx, key, n, r); err != nil {
			return nil, &expr.Error{Text: b.text, Pos: key.Pos, Err: err}
		}
	}

	if r.quantile && !slices.ContainsFunc(keys, func(k expr.Key) bool { return k.Name == "q" }) {
		return nil, fmt.Errorf("%s needs the fraction as its second argument: %w", n.Text, cairn.ErrBounds)
	}

	if r.cumulative {
		if len(r.o.Axes) == 0 && len(r.of.shape) == 1 {
			r.o.Axes = []int{0}
		}
		if len(r.o.Axes) != 1 || r.o.KeepDims || r.o.DDoF != 0 || r.by != "" {
			return nil, fmt.Errorf("%s takes one axis=, as in %s(a, axis=0): %w", n.Text, n.Text, cairn.ErrBounds)
		}
	}

	if err := r.groupedAxes(); err != nil {
		return nil, err
	}
	if err := b.checkBeside(ctx, r); err != nil {
		return nil, err
	}
	if err := r.rolls(); err != nil {
		return nil, err
	}

	if r.each && r.by == "" {
		return nil, fmt.Errorf("%s takes each= only with by=: %w", n.Text, cairn.ErrBounds)
	}
	r.o.KeepDims = r.o.KeepDims || r.each
	return r, nil
}

// leastResults is how many bytes a result of a reduction may always have.
const leastResults = 16 << 20

// reduced computes a reduction.
func (b *binder) reduced(ctx context.Context, n *expr.Node, r *bound) (*term, error) {
	of := r.of
	value, err := of.value(b.trial)
	if err != nil {
		return nil, err
	}

	value, err = kernel.Typed(value)
	if err != nil {
		return nil, err
	}

	k := value.Kind()
	gone, err := r.o.resolve(len(of.shape))
	if err != nil {
		return nil, err
	}

	result, err := r.resultShape(of, gone)
	if err != nil {
		return nil, err
	}
	most := max(leastResults, parallel.Memory(b.options.Memory)/4)
	if r.cumulative || r.shaped {
		gone = make([]bool, len(of.shape))
		result = of.shape
	}
	if r.cumulative {
		most = max(leastResults, parallel.Memory(b.options.Memory))
	}

	if err := b.roomFor(r, int64(max(8, k.Size()))*itemsOf(result), most); err != nil {
		return nil, err
	}

	for _, s := range []*besides{r.weights, r.with} {
		if b.through != nil && s != nil && s.term.reduces {
			of = s.term
		}
	}
	if b.through != nil && of.reduces {
		return nil, fmt.Errorf("%s of the result of a reduction, which is not known yet: %w", r.name, ErrIndivisible)
	}

	src, err := b.sourceOf(of)
	if err != nil {
		return nil, err
	}

	u, err := b.pass(ctx, n, r, src, k)
	if err != nil {
		return nil, err
	}

	results, err := r.results(u, gone)
	if err != nil {
		return nil, err
	}
	t, err := b.sourceTerm(ctx, results)
	if err != nil {
		return nil, err
	}
	t.moved = r.movedAfter(t)
	t.reduces = true
	t.reads = r.each // as the result is as long as what is read

	// NumPy gives these reductions of short floats the type of the input.
	if r.sameKind || r.likeInput && (k == kernel.Float16 || k == kernel.Float32 || k == kernel.Complex64) {
		t.castTo(k)
	}
	return t, nil
}

// castTo makes the items of a term those of another kind.
func (t *term) castTo(k kernel.Kind) {
	exact := t.build
	t.source = nil
	t.build = func(p *program) (kernel.Value, error) {
		v, err := exact(p)
		if err != nil {
			return v, err
		}
		return kernel.Cast(v, k)
	}
}

func itemsOf(shape ndarray.Shape) int64 {
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// option sets an option of a reduction.
func (b *binder) option(ctx context.Context, key expr.Key, n *expr.Node, r *bound) (err error) {
	if is, err := windowOption(key, &r.window); is {
		return err
	}
	v := key.Value
	of := r.of
	o := r.o
	switch key.Name {
	case "with": // which is bound
		return nil
	case "x":
		if r.trend {
			return b.second(ctx, r, v)
		}
	case "weights":
		return b.weigh(ctx, r, v)
	case "by":
		r.by = v.Text
		o.Groups, err = b.groupsOf(ctx, v, of)
		return err
	case "each":
		r.each = v.Text == "True"
		return boolean(v, key.Name)
	case "axis":
		if v.Kind == expr.Name && v.Text == "None" {
			return nil
		}

		list := []*expr.Node{v}
		if v.Kind == expr.Tuple {
			if list = v.Args; len(list) == 0 {
				return fmt.Errorf("no axes: %w", cairn.ErrBounds)
			}
		}

		for _, a := range list {
			axis, err := axisOf(a, of)
			if err != nil {
				return err
			}
			o.Axes = append(o.Axes, axis)
		}

		if _, err := o.resolve(len(of.shape)); err != nil {
			return err
		}
		slices.Sort(o.Axes)
		return nil
	case "keepdims":
		o.KeepDims = v.Text == "True"
		return boolean(v, key.Name)
	case "ddof":
		i, err := intOf(v)
		o.DDoF = int(i)
		return err
	case "q":
		f, err := kernel.Number(v.Text)
		if v.Kind != expr.Number || err != nil {
			return fmt.Errorf("the fraction is a number from 0 to 1: %w", cairn.ErrType)
		}
		r.q, _ = f.Number()
		return nil
	}
	return fmt.Errorf("%s takes axis=, keepdims=, ddof=, weights=, by=, each=, window=, center= and min_count=, not %s=: %w", n.Text, key.Name, cairn.ErrNotFound)
}

// boolean fails unless a node is True or False.
func boolean(v *expr.Node, name string) error {
	if v.Kind != expr.Name || v.Text != "True" && v.Text != "False" {
		return fmt.Errorf("%s is True or False: %w", name, cairn.ErrType)
	}
	return nil
}

// axisOf returns the number of an axis, which a node gives as a number or as the name of a
// dimension. Negative numbers count from the end.
func axisOf(n *expr.Node, of *term) (int, error) {
	if n.Kind == expr.String {
		if i := slices.Index(of.dims, n.Text); i >= 0 && n.Text != "" {
			return i, nil
		}
		return 0, fmt.Errorf("no dimension is named %q, but %q: %w", n.Text, of.dims, cairn.ErrNotFound)
	}

	i, err := intOf(n)
	if err != nil {
		return 0, fmt.Errorf("an axis is a number, or the name of a dimension in quotes: %w", cairn.ErrType)
	}

	if i < 0 {
		i += int64(len(of.shape))
	}

	if i < 0 || i >= int64(len(of.shape)) {
		return 0, fmt.Errorf("axis %s of %d dimensions: %w", n.Text, len(of.shape), cairn.ErrBounds)
	}
	return int(i), nil
}

// intOf returns the number that a node is, with a sign or without.
func intOf(n *expr.Node) (int64, error) {
	sign := int64(1)
	if n.Kind == expr.Unary && n.Text == "-" {
		n, sign = n.Args[0], -1
	}

	if n.Kind == expr.Number {
		if v, err := kernel.Number(n.Text); err == nil {
			if i, ok := v.Int(); ok && i < 1<<31 {
				return sign * i, nil
			}
		}
	}
	return 0, fmt.Errorf("not an integer: %w", cairn.ErrType)
}
