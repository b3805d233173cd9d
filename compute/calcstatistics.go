package compute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// besides are what a reduction takes beside its argument: weights, another array, or places.
type besides struct {
	term *term
	axes []int // of the argument; nil for the last ones
	unit string
}

func (s *besides) id() int {
	if s == nil {
		return 0
	}
	return s.term.id
}

// statistics adds the reductions of pairs, and others that statistics have.
func statistics(all map[string]namedReduction) {
	related := func(of func(m *comoment, ddof int) float64) func(f *family, _ kernel.Kind) reduction {
		return func(f *family, _ kernel.Kind) reduction {
			if f.relate == nil {
				return nil
			}
			return f.relate(of)
		}
	}
	for name, of := range map[string]func(m *comoment, ddof int) float64{"corr": correlation, "cov": covariance} {
		all[name] = namedReduction{pick: related(of), two: true}
	}
	for name, of := range map[string]func(m *comoment, ddof int) float64{"slope": slope, "intercept": intercept,
		"pvalue": pValue} {
		all[name] = namedReduction{pick: related(of), trend: true}
	}

	all["mode"] = namedReduction{run: namedMode, sameKind: true}
	all["longest_run"] = namedReduction{condition: true, oneAxis: true,
		pick: func(f *family, _ kernel.Kind) reduction { return f.longestRun }}
	all["middle"] = namedReduction{run: endOf(atMiddle)}
}

// asCondition returns the node of items that are not 0, of which NaN is none: that of the argument
// if they are bools already.
func (b *binder) asCondition(ctx context.Context, of *term, n *expr.Node) (*term, error) {
	v, err := of.value(b.trial)
	if err != nil {
		return nil, err
	}
	if v, err = kernel.Typed(v); err != nil || v.Kind() == kernel.Bool {
		return of, err
	}

	zero := &expr.Node{Kind: expr.Number, Text: "0", Pos: n.Pos}
	less := &expr.Node{Kind: expr.Binary, Text: "<", Pos: n.Pos, Args: []*expr.Node{n, zero}}
	greater := &expr.Node{Kind: expr.Binary, Text: ">", Pos: n.Pos, Args: []*expr.Node{n, zero}}
	return b.bind(ctx, &expr.Node{Kind: expr.Binary, Text: "|", Pos: n.Pos, Args: []*expr.Node{less, greater}})
}

// bindBeside binds what a reduction takes beside its argument, which may change.
func (b *binder) bindBeside(ctx context.Context, r *bound, n *expr.Node) (err error) {
	if r.condition {
		r.of, err = b.asCondition(ctx, r.of, n.Args[0])
		return err
	}
	if !r.two {
		return nil
	}

	if len(n.Args) < 2 {
		return fmt.Errorf("%s takes two arrays, as in %[1]s(a, b, axis=0): %w", n.Text, cairn.ErrBounds)
	}
	if strings.TrimPrefix(r.name, "nan") == "cov" {
		r.o.DDoF = 1 // as NumPy and xarray have it
	}
	return b.second(ctx, r, n.Args[1])
}

// checkBeside fails for options that are not those of statistics, and finds the places of trends.
func (b *binder) checkBeside(ctx context.Context, r *bound) error {
	if r.weights != nil && (r.pick == nil || r.two || r.trend) {
		return noWeights(r.name)
	}
	if r.oneAxis {
		if _, err := r.o.onlyAxis(len(r.of.shape)); err != nil {
			return fmt.Errorf("%s %w", strings.TrimPrefix(r.name, "nan"), err)
		}
	}
	if r.trend && r.with == nil {
		return b.placesAlong(ctx, r)
	}
	return nil
}

// second binds the second argument of a reduction of two arrays. The one with fewer items becomes
// that which is broadcast.
func (b *binder) second(ctx context.Context, r *bound, n *expr.Node) error {
	other, err := b.bind(ctx, n)
	if err != nil {
		return err
	}

	both, err := b.aligned(ctx, []*term{r.of, other})
	if err != nil {
		return err
	}
	shape, err := broadcast(both)
	if err != nil {
		return err
	}
	if !slices.Equal(both[0].shape, shape) {
		slices.Reverse(both)
	}
	if !slices.Equal(both[0].shape, shape) {
		return fmt.Errorf("%s of the shapes %v and %v, one of which must have all dimensions: %w", r.name, both[0].shape,
			both[1].shape, cairn.ErrBounds)
	}
	r.of = both[0]
	r.with = &besides{term: both[1]}
	return nil
}

// weigh binds the weights of a reduction.
func (b *binder) weigh(ctx context.Context, r *bound, n *expr.Node) error {
	weights, err := b.bind(ctx, n)
	if err != nil {
		return err
	}
	both, err := b.aligned(ctx, []*term{r.of, weights})
	if err != nil {
		return err
	}
	if shape, err := broadcast(both); err != nil || !slices.Equal(shape, r.of.shape) || both[0] != r.of {
		return fmt.Errorf("weights of shape %v with dimensions %q do not fit an array of shape %v with %q: %w",
			weights.shape, weights.dims, r.of.shape, r.of.dims, cairn.ErrBounds)
	}
	r.weights = &besides{term: both[1]}
	return nil
}

// placesAlong sets where the items along the axis of a trend are: at coordinates, or else at 0, 1,
// 2 and so on.
func (b *binder) placesAlong(ctx context.Context, r *bound) error {
	axis, err := r.o.onlyAxis(len(r.of.shape))
	if err != nil {
		return fmt.Errorf("%s %w", strings.TrimPrefix(r.name, "nan"), err)
	}

	name := ""
	if len(r.of.dims) > axis {
		name = r.of.dims[axis]
	}
	var values []float64
	var unit string
	if name != "" {
		src, err := b.alongDim(ctx, name, r.of)
		if err != nil && !errors.Is(err, cairn.ErrNotFound) {
			return err
		}
		if err == nil {
			if values, unit, err = placesOf(ctx, src); err != nil {
				return fmt.Errorf("coordinates %s: %w", name, err)
			}
		}
	}

	n := r.of.shape[axis]
	if int64(len(values)) != n {
		values = make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		unit = ""
	}
	t, err := b.intern(func() (*term, error) {
		a, err := ndarray.FromSlice(values, ndarray.Shape{n}, nil)
		if err != nil {
			return nil, err
		}
		return b.sourceTerm(ctx, a)
	}, "places", name, n, unit)
	r.with = &besides{t, []int{axis}, unit}
	return err
}

// placesOf returns coordinates as numbers, and their unit: the day for times.
func placesOf(ctx context.Context, src ndarray.Source) (values []float64, unit string, err error) {
	if len(src.Shape()) != 1 {
		return nil, "", fmt.Errorf("of shape %v, must have one dimension: %w", src.Shape(), cairn.ErrBounds)
	}
	d := src.DType()
	if unit, count := d.Unit(); unit != "" {
		scale, ok := cftime.NumPyScale(unit, count)
		view, err := ndarray.ViewAs[int64](src)
		if err != nil || !ok {
			return nil, "", fmt.Errorf("dates of dtype %v: %w", d, errors.Join(err, cairn.ErrType))
		}
		items, err := view.Read(ctx)
		for _, n := range items {
			t, ok := scale.Int(n)
			values = append(values, daysOf(t, ok))
		}
		return values, "day", err
	}

	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, "", err
	}
	e, err := castTo(ctx, src, "float64", &CalcOptions{})
	if err != nil {
		return nil, "", err
	}
	view, err := ndarray.ViewAs[float64](e)
	if err != nil {
		return nil, "", err
	}
	if values, err = view.Read(ctx); err != nil {
		return nil, "", err
	}

	unit = cf.Text(labels.Attributes, "units")
	if scale := cf.Of(d, labels.Attributes).Time; scale != nil {
		first, _ := scale.Int(0)
		for i, v := range values {
			t, ok := scale.Float(v, 53)
			t.Seconds -= first.Seconds
			t.Nanos -= first.Nanos
			values[i] = daysOf(t, ok)
		}
		unit = "day"
	}
	return values, unit, nil
}

// daysOf returns a time in days, or NaN.
func daysOf(t cftime.Time, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return (float64(t.Seconds) + float64(t.Nanos)/1e9) / 86400
}

// trendUnits returns the units of a slope: those of the items per unit of the places.
func trendUnits(of, per string) string {
	switch {
	case of == "" || per == "":
		return of
	case strings.ContainsFunc(per, func(r rune) bool { return r < 'A' }):
		per = "(" + per + ")"
	}
	return strings.TrimPrefix(of+" "+per+"-1", "1 ")
}

// trendAttributes returns those of the result of a trend.
func (r *bound) trendAttributes(kept meta.Map) meta.Map {
	units := cf.Text(r.of.attributes, "units")
	switch strings.TrimPrefix(r.name, "nan") {
	case "slope":
		units = trendUnits(units, r.with.unit)
	case "pvalue":
		units = "1"
	}
	if units == "" {
		return kept
	}
	return append(kept, meta.Pair{Key: "units", Value: units})
}
