package whole

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/beside"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/ndarray"
)

// Weights are those of the cells that reductions take.
type Weights struct {
	Kind string // area, cos, or the name of an array
	// Own is the array with the weights if it is in another file, or nil.
	Own ndarray.Source
}

// The names of weights that are computed.
const (
	WeightsArea = "area"
	WeightsCos  = "cos"
)

// WeightsName is the name that weights have in expressions.
const WeightsName = "cell_weights"

// Of returns the weights of an array, with names of dimensions. find returns an array that is near,
// or nil.
func (w *Weights) Of(ctx context.Context, a *coords.Array, find coords.Lookup) (ndarray.Source, error) {
	switch {
	case w.Own != nil:
		return w.Own, nil
	case w.Kind == WeightsCos:
		return cosines(ctx, a, find)
	case w.Kind == WeightsArea:
		return areas(ctx, a, find)
	}
	src, err := valuesNear(ctx, find, w.Kind)
	if src == nil && err == nil {
		err = fmt.Errorf("-weights: no array is named %q; want area, cos, or the name of an array: %w", w.Kind,
			cairn.ErrNotFound)
	}
	return src, err
}

// Near returns a lookup that finds the weights of an array, too, by their name in expressions.
// Arrays that have none have the weight 1.
func (w *Weights) Near(src ndarray.Source, find coords.Lookup) coords.Lookup {
	if w == nil {
		return find
	}
	return func(ctx context.Context, name string) (ndarray.Source, error) {
		if name != WeightsName {
			return find(ctx, name)
		}
		weights, err := w.Of(ctx, coords.New(src, find), find)
		if weights == nil && err == nil {
			err = fmt.Errorf("-weights %s: the array has no latitudes: %w", w.Kind, cairn.ErrUnsupported)
		}
		return weights, err
	}
}

// Apply reports whether weights differ along what is reduced of an array, or divided into groups;
// others change nothing.
func (w *Weights) Apply(weights ndarray.Source, dims []string, gone func(i int) bool) bool {
	own := Dims(weights)
	for i, dim := range dims {
		if gone(i) && slices.Contains(own, dim) {
			return true
		}
	}
	return false
}

// valuesNear returns the values of an array that is near, or nil.
func valuesNear(ctx context.Context, find coords.Lookup, name string) (ndarray.Source, error) {
	src, err := find(ctx, name)
	if src == nil || err != nil {
		return nil, err
	}
	return values.Of(ndarray.ViewOf(src), nil)
}

// A horizontal has the latitudes or the longitudes of an array.
type horizontal struct {
	src  ndarray.Source // or nil
	dims []string
	of   []float64
}

// horizontals returns the latitudes and longitudes of an array, of one dimension or more: those of
// its axes, and those that its attributes name.
func horizontals(ctx context.Context, a *coords.Array, find coords.Lookup) (lat, lon horizontal, err error) {
	var names []string
	for _, x := range a.Axes {
		if have, err := x.HasCoordinates(ctx); err == nil && have {
			names = append(names, x.Name)
		}
	}
	for _, r := range cf.References(a.Attributes) {
		if r.Role == cf.Coordinate && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}

	for _, name := range names {
		src, err := valuesNear(ctx, find, name)
		if err != nil {
			return lat, lon, err
		}
		if src == nil {
			continue
		}
		to := horizontalOf(name, src, &lat, &lon)
		if to == nil || to.src != nil {
			continue
		}
		to.src = src
		to.dims = Dims(src)
		if to.of, err = floatsOf(ctx, src); err != nil {
			return lat, lon, err
		}
	}
	return lat, lon, nil
}

// horizontalOf returns which of both coordinates are, or nil.
func horizontalOf(name string, src ndarray.Source, lat, lon *horizontal) *horizontal {
	l, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil
	}
	m := cf.Of(src.DType(), l.Attributes)
	standard := m.StandardName
	units := m.Unit
	name = strings.ToLower(name)
	switch {
	case standard == "latitude" || standard == "" && (cf.SameUnit(units, "degrees_north") || name == "lat" || name == "latitude"):
		return lat
	case standard == "longitude" || standard == "" && (cf.SameUnit(units, "degrees_east") || name == "lon" || name == "longitude"):
		return lon
	}
	return nil
}

// floatsOf returns the items of an array as float64.
func floatsOf(ctx context.Context, src ndarray.Source) ([]float64, error) {
	e, err := calc(ctx, "float64(x)", src, nil)
	if err != nil {
		return nil, err
	}
	view, err := ndarray.ViewAs[float64](e)
	if err != nil {
		return nil, err
	}
	return view.Read(ctx)
}

// cosines returns the cosines of the latitudes of an array.
func cosines(ctx context.Context, a *coords.Array, find coords.Lookup) (ndarray.Source, error) {
	lat, _, err := horizontals(ctx, a, find)
	if err != nil || lat.src == nil {
		return nil, err
	}
	all := slices.Clone(lat.of)
	for i, v := range all {
		all[i] = max(0, math.Cos(v*math.Pi/180)) // at a pole it may be less by rounding
	}
	return weightsOf(all, lat.src.Shape(), lat.dims)
}

// weightsOf returns weights as an array.
func weightsOf(all []float64, shape ndarray.Shape, dims []string) (ndarray.Source, error) {
	u, err := ndarray.FromSlice(all, shape, nil)
	if err != nil {
		return nil, err
	}
	return u, u.SetLabels(ndarray.Labels{Dims: dims})
}

// WeightsArgument gives a reduction in an expression its weights.
const WeightsArgument = ", weights=" + WeightsName

// IsTrend reports whether an operation takes the coordinates of what it reduces.
func IsTrend(op string) bool { return slices.Contains([]string{"slope", "intercept", "pvalue"}, op) }

// besides is what expressions over an array find beside it.
type besides struct {
	weights ndarray.Source // in memory, or nil
	array   *coords.Array
}

// besides returns what there is beside an array, of which weights are left out that change nothing.
func (r *Reduction) besides(ctx context.Context, a *Operand, src ndarray.Source, l ndarray.Labels) (*besides, error) {
	b := &besides{array: coords.New(src, a.Near)}
	if r.Weights == nil || a.aside() {
		return b, nil
	}
	weights, err := r.Weights.Of(ctx, b.array, a.Near)
	if weights == nil || err != nil {
		return b, err
	}
	gone := func(i int) bool { return slices.Contains(a.Axes, i) || r.Groups.division(l.Dims[i]) != nil }
	if !r.Weights.Apply(weights, l.Dims, gone) {
		return b, nil
	}
	if weights, err = along(ctx, weights, l.Dims); err == nil {
		b.weights, err = inMemory(ctx, weights)
	}
	return b, err
}

// along returns weights of the items of an array with some dimensions: their sums along those that
// it does not have, as if it were the same everywhere along these.
func along(ctx context.Context, weights ndarray.Source, dims []string) (ndarray.Source, error) {
	var others []string
	for _, dim := range Dims(weights) {
		if dim != "" && !slices.Contains(dims, dim) {
			others = append(others, fmt.Sprintf("%q", dim))
		}
	}
	if len(others) == 0 {
		return weights, nil
	}
	return calc(ctx, "sum(x, ("+strings.Join(others, ",")+",))", weights, nil)
}

// inMemory returns a copy of an array.
func inMemory(ctx context.Context, src ndarray.Source) (ndarray.Source, error) {
	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, err
	}
	u, err := ndarray.Copy(ndarray.WithProgress(ctx, nil), src, nil)
	if err != nil {
		return nil, err
	}
	return u, u.SetLabels(ndarray.Labels{Dims: labels.Dims})
}

// options returns options with which expressions find it. outlined says that they are over an
// outline, which has other extents than the weights.
func (b *besides) options(o compute.CalcOptions, outlined bool) *compute.CalcOptions {
	near := beside.Of([]*coords.Array{b.array}).Coordinate
	o.Coordinate = func(ctx context.Context, name string, dims []string, shape ndarray.Shape) (ndarray.Source, error) {
		switch {
		case name != WeightsName:
			return near(ctx, name, dims, shape)
		case outlined:
			return ndarray.FromSlice([]float64{1}, ndarray.Shape{}, nil)
		}
		return b.weights, nil
	}
	return &o
}

// methodDims returns the names that cell_methods have for dimensions: area for those of the cells
// whose areas are the weights.
func (r *Reduction) methodDims(dims []string, weights ndarray.Source) []string {
	if r.Weights == nil || r.Weights.Kind != WeightsArea || weights == nil {
		return dims
	}
	cells := Dims(weights)
	left := slices.DeleteFunc(slices.Clone(dims), func(dim string) bool { return slices.Contains(cells, dim) })
	if len(dims)-len(left) < len(cells) {
		return dims
	}
	return append(left, "area")
}

// Near returns a lookup near an array of what open opens, which Close closes.
func (r *Reduction) Near(key string, open func(key string) (ndarray.Source, func() error, error)) coords.Lookup {
	return coords.Near(key, func(_ context.Context, key string) (ndarray.Source, error) {
		src, end, err := open(key)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ends = append(r.ends, end)
		return src, nil
	})
}
