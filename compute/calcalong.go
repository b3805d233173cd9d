package compute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
)

// alongFunctions are the functions of an array along an axis, with the names of their arguments
// after the array.
var alongFunctions = map[string][]string{
	"diff":           {"n", "axis"},
	"shift":          {"n", "axis"},
	"ffill":          {"axis", "limit"},
	"bfill":          {"axis", "limit"},
	"interpolate_na": {"axis", "limit", "use_coordinate"},
	"interp":         {"axis", "at", "method"},
}

// axisKey is the argument that they all have.
const axisKey = "axis"

// An alongCall is a call of one of them.
type alongCall struct {
	node *expr.Node
	of   *term
	axis int
	args map[string]*expr.Node
}

// along returns the term of such a function.
func (b *binder) along(ctx context.Context, n *expr.Node) (*term, error) {
	c, err := b.alongCall(ctx, n)
	if err != nil {
		return nil, err
	}

	parts := []any{n.Text, c.of.id, c.axis}
	for _, name := range alongFunctions[n.Text] {
		text := ""
		if a := c.args[name]; a != nil {
			text = fmt.Sprintf("%d %s %v", a.Kind, a.Text, textsOf(a.Args))
		}
		parts = append(parts, text)
	}

	return b.intern(func() (*term, error) {
		t, err := b.alongTerm(ctx, c)
		if err != nil {
			return nil, err
		}
		t.attributes = resultAttributes(n, []*term{c.of})
		if n.Text == "shift" || n.Text == "interp" {
			t = withNaN(t)
		}
		return t, nil
	}, parts...)
}

func textsOf(nodes []*expr.Node) (texts []string) {
	for _, n := range nodes {
		texts = append(texts, n.Text)
		texts = append(texts, textsOf(n.Args)...)
	}
	return texts
}

// alongCall takes the arguments of a call.
func (b *binder) alongCall(ctx context.Context, n *expr.Node) (*alongCall, error) {
	names := alongFunctions[n.Text]
	c := &alongCall{node: n, args: map[string]*expr.Node{}}
	if len(n.Args) == 0 || len(n.Args) > len(names)+1 {
		return nil, fmt.Errorf("%s takes an array and %d arguments, not %d: %w", n.Text, len(names), len(n.Args),
			cairn.ErrBounds)
	}

	args := slices.Clone(n.Args[1:])
	if n.Text == "diff" && len(args) == 1 && args[0].Kind == expr.String {
		args = []*expr.Node{{Kind: expr.Number, Text: "1", Pos: n.Pos}, args[0]}
	}
	for i, a := range args {
		c.args[names[i]] = a
	}
	for _, key := range n.Keys {
		if !slices.Contains(names, key.Name) || c.args[key.Name] != nil {
			return nil, &expr.Error{Text: b.text, Pos: key.Pos,
				Err: fmt.Errorf("%s takes %q once each, not %s=: %w", n.Text, names, key.Name, cairn.ErrNotFound)}
		}
		c.args[key.Name] = key.Value
	}

	var err error
	if c.of, err = b.bind(ctx, n.Args[0]); err != nil {
		return nil, err
	}
	if a := c.args[axisKey]; a != nil {
		c.axis, err = axisOf(a, c.of)
		return c, b.at(n, err)
	}
	if len(c.of.shape) != 1 {
		return nil, fmt.Errorf("%s takes one axis=, as in %s(a, axis=0): %w", n.Text, n.Text, cairn.ErrBounds)
	}
	return c, nil
}

// integer returns an argument that is one, or what it is by default.
func (c *alongCall) integer(name string, otherwise, least int64) (int64, error) {
	a := c.args[name]
	if a == nil {
		return otherwise, nil
	}
	i, err := intOf(a)
	if err == nil && i < least {
		err = fmt.Errorf("must be %d at least: %w", least, cairn.ErrBounds)
	}
	if err != nil {
		return 0, fmt.Errorf("%s of %s: %w", name, c.node.Text, err)
	}
	return i, nil
}

func (b *binder) alongTerm(ctx context.Context, c *alongCall) (*term, error) {
	switch c.node.Text {
	case "diff":
		return b.differences(ctx, c)
	case "shift":
		return b.shifted(ctx, c)
	case "interp":
		return b.interpolated(ctx, c)
	}
	return b.fillTerm(ctx, c)
}

// maxDifferences is the maximum order of differences.
const maxDifferences = 32

// differences returns the differences of successive items, or those of these, and so on.
func (b *binder) differences(ctx context.Context, c *alongCall) (*term, error) {
	n, err := c.integer("n", 1, 0)
	if err == nil && n > maxDifferences {
		err = fmt.Errorf("differences of order %d, at most %d are possible: %w", n, maxDifferences, cairn.ErrLimit)
	}
	if err != nil {
		return nil, err
	}

	t := c.of
	for range n {
		src, err := b.sourceOf(t)
		if err != nil {
			return nil, err
		}
		extent := t.shape[c.axis]
		of := func(first, stop int64) (*term, error) {
			selectors := make([]ndarray.Selector, c.axis+1)
			selectors[c.axis] = ndarray.Range(min(first, extent), max(stop, min(first, extent)))
			return b.viewTerm(ctx, ndarray.ViewOf(src).Slice(selectors...), t)
		}

		later, err := of(1, extent)
		if err != nil {
			return nil, err
		}
		earlier, err := of(0, extent-1)
		if err != nil {
			return nil, err
		}
		next, err := b.combined(ctx, []*term{later, earlier}, func(v []kernel.Value) (kernel.Value, error) {
			if v[0].Kind() == kernel.Bool {
				return kernel.Binary("^", v[0], v[1])
			}
			return kernel.Binary("-", v[0], v[1])
		})
		if err != nil {
			return nil, err
		}
		b.last++
		next.id = b.last
		t = next
	}

	result := *t // of n = 0, whose attributes may be others
	if n > 0 {   // items have the coordinates of the later ones, as xarray has it
		result.moved = b.cutAlong(ctx, c.of, c.axis, ndarray.Range(min(n, c.of.shape[c.axis]), c.of.shape[c.axis]))
	}
	return &result, nil
}

// viewTerm returns the term of a view of another.
func (b *binder) viewTerm(ctx context.Context, view ndarray.UntypedView, of *term) (*term, error) {
	if err := view.Err(); err != nil {
		return nil, err
	}
	t, err := b.sourceTerm(ctx, view)
	if err != nil {
		return nil, err
	}
	b.last++
	t.id = b.last
	t.dims = of.dims
	t.moved = of.moved
	t.reads = of.reads
	t.reduces = of.reduces
	return t, nil
}

// floatSource returns a term as a source of floats, float32 if its items are no longer than these.
func (b *binder) floatSource(ctx context.Context, of *term) (ndarray.Source, kernel.Kind, error) {
	value, err := of.value(b.trial)
	if err != nil {
		return nil, 0, err
	}
	if value, err = kernel.Typed(value); err != nil {
		return nil, 0, err
	}

	src, err := b.sourceOf(of)
	if err != nil {
		return nil, 0, err
	}
	k := value.Kind()
	switch {
	case k > kernel.Float64:
		return nil, 0, fmt.Errorf("of complex numbers: %w", cairn.ErrType)
	case k == kernel.Float64:
		return src, k, nil
	case k == kernel.Float32 || k == kernel.Float16:
		src, err = castTo(ctx, src, "float32", b.options)
		return src, k, err
	}
	src, err = castTo(ctx, src, "float64", b.options)
	return src, kernel.Float64, err
}

// shifted returns items that are moved by some places, behind what is missing.
func (b *binder) shifted(ctx context.Context, c *alongCall) (*term, error) {
	n, err := c.integer("n", 1, math.MinInt32)
	if err != nil {
		return nil, err
	}
	src, k, err := b.floatSource(ctx, c.of)
	if err != nil {
		return nil, fmt.Errorf("shift %w", err)
	}
	name := "float32"
	if k == kernel.Float64 {
		name = "float64"
	}
	if src, err = castTo(ctx, src, name, b.options); err != nil {
		return nil, err
	}
	return b.resultTerm(ctx, &shiftedSource{Source: src, axis: c.axis, by: n}, c.of, k)
}

// resultTerm returns the term of a source in the place of another, as items of a kind.
func (b *binder) resultTerm(ctx context.Context, src ndarray.Source, of *term, k kernel.Kind) (*term, error) {
	t, err := b.sourceTerm(ctx, src)
	if err != nil {
		return nil, err
	}
	t.dims = of.dims
	t.moved = of.moved
	t.reads = of.reads
	t.reduces = of.reduces
	if k == kernel.Float16 {
		t.castTo(k)
	}
	return t, nil
}

// fillTerm returns items in the place of NaN.
func (b *binder) fillTerm(ctx context.Context, c *alongCall) (*term, error) {
	limit, err := c.integer("limit", 0, 1)
	if err != nil {
		return nil, err
	}
	src, k, err := b.floatSource(ctx, c.of)
	if err != nil {
		return nil, fmt.Errorf("%s %w", c.node.Text, err)
	}

	f := Filling{Axis: c.axis, Backward: c.node.Text == "bfill", Limit: limit, Linear: c.node.Text == "interpolate_na"}
	if a := c.args["use_coordinate"]; a != nil {
		if err := boolean(a, "use_coordinate"); err != nil {
			return nil, err
		}
	}
	if a := c.args["use_coordinate"]; f.Linear && (a == nil || a.Text == "True") {
		if f.Coordinates, err = b.coordinatesAlong(ctx, c); err != nil {
			return nil, err
		}
	}

	if b.through != nil {
		return nil, fmt.Errorf("%s cannot be merged from pieces: %w", c.node.Text, ErrIndivisible)
	}
	to := &Options{}
	o := &ndarray.Options{Memory: b.options.Memory, Workers: b.options.Workers, Level: levelStored}
	if bytes := int64(max(4, k.Size())) * itemsOf(c.of.shape); bytes > max(leastResults, parallel.Memory(b.options.Memory)/4) {
		if b.options.Scratch == nil {
			return nil, fmt.Errorf("a result of %d bytes: %w", bytes, cairn.ErrLimit)
		}
		to.scratch = b.options.Scratch
		o.Level = 1
	}
	u, err := filled(ctx, to, src, f, o)
	if err != nil {
		return nil, err
	}
	return b.resultTerm(ctx, u, c.of, k)
}

// coordinatesAlong returns the coordinates along the axis of a call: the indexes if there are
// none.
func (b *binder) coordinatesAlong(ctx context.Context, c *alongCall) ([]float64, error) {
	extent := c.of.shape[c.axis]
	indexes := func() []float64 {
		all := make([]float64, extent)
		for i := range all {
			all[i] = float64(i)
		}
		return all
	}
	if b.options.Coordinate == nil || c.axis >= len(c.of.dims) || c.of.dims[c.axis] == "" {
		return indexes(), nil
	}

	name := c.of.dims[c.axis]
	src, err := b.alongDim(ctx, name, c.of)
	if errors.Is(err, cairn.ErrNotFound) {
		return indexes(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("coordinates of %s: %w", name, err)
	}
	values, err := floatsOf(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("coordinates of %s: %w", name, err)
	}
	if int64(len(values)) != extent {
		return nil, fmt.Errorf("%d coordinates of %s, which has %d items: %w", len(values), name, extent, cairn.ErrBounds)
	}
	return values, nil
}

// floatsOf reads an array of one dimension, whose items are numbers or times.
func floatsOf(ctx context.Context, src ndarray.Source) ([]float64, error) {
	shape := src.Shape()
	if len(shape) != 1 {
		return nil, fmt.Errorf("an array of shape %v instead of a list: %w", shape, cairn.ErrBounds)
	}
	if f, err := familyOf(src, "coordinates"); err == nil && f.mean == nil && f.least != nil {
		_, from, err := boxesOf[int64](ctx, ndarray.ViewOf(src).Inside(), 1)
		if err != nil {
			return nil, err
		}
		items := make([]int64, shape[0])
		values := make([]float64, shape[0])
		err = from.ReadBox(ctx, items, []int64{0}, shape)
		for i, v := range items {
			values[i] = float64(v - items[0]) // exact for times that are near
		}
		return values, err
	}

	e, err := castTo(ctx, src, "float64", nil)
	if err != nil {
		return nil, err
	}
	v, err := ndarray.ViewAs[float64](e)
	if err != nil {
		return nil, err
	}
	return v.Read(ctx)
}
