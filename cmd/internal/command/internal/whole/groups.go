package whole

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/beside"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/groups"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/ndarray"
)

// Groups divide dimensions of the arrays of a file into groups.
type Groups struct {
	keys []groups.Key
	of   map[string]*division // by the dimensions that are divided

	areas []groups.Key // of arrays of several dimensions, such as regions
	names *beside.Names
}

// A division is that of a dimension.
type division struct {
	*groups.Division
	aside bool // by coordinates other than its own
}

// ByName is the name that groups have in expressions of reductions.
const ByName = "groups"

// ParseGroups returns the groups of the flags -by and -every, or nil if both are empty. label says
// where the coordinates of periods are.
func ParseGroups(by, every, label string) (*Groups, error) {
	g := &Groups{of: map[string]*division{}}
	for text := range splitKeys(by) {
		k, err := groups.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("-by: %w", err)
		}
		g.keys = append(g.keys, k)
	}
	if every != "" {
		steps, err := groups.ParseEvery(every)
		if err != nil {
			return nil, fmt.Errorf("-every: %w", err)
		}
		g.keys = append(g.keys, steps...)
	}

	at := groups.Label(label)
	if !slices.Contains([]groups.Label{groups.Start, groups.Middle, groups.End}, at) {
		return nil, fmt.Errorf("-label is %q, must be start, middle or end: %w", label, cairn.ErrInvalid)
	}
	for i := range g.keys {
		g.keys[i].Label = at
	}
	if len(g.keys) == 0 {
		return nil, nil
	}
	return g, nil
}

// splitKeys yields the keys of a list, in which commas within parentheses part none.
func splitKeys(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for list != "" {
			end := strings.IndexByte(list, ',')
			if open := strings.IndexByte(list, '('); open >= 0 && open < end {
				end = -1
				if n := strings.IndexByte(list, ')'); n >= 0 && n+1 < len(list) {
					end = n + 1
				}
			}

			if end < 0 {
				yield(list)
				return
			}
			if !yield(list[:end]) {
				return
			}
			list = list[end+1:]
		}
	}
}

// Divide adds the groups of one array's axes. find returns an array of coordinates that is near, or
// nil. It reports which keys are still of no dimension.
func (g *Groups) Divide(ctx context.Context, a *coords.Array, find coords.Lookup) (left []string, err error) {
	by := map[string]groups.Key{}
	for _, k := range g.keys {
		if slices.ContainsFunc(g.areas, func(area groups.Key) bool { return area.Name == k.Name }) {
			continue
		}
		x, err := axisFor(ctx, k, a, find)
		if err != nil {
			return nil, err
		}
		if x == nil {
			left = append(left, k.Name)
			continue
		}
		if other, ok := by[x.Name]; ok && other.String() != k.String() {
			return nil, fmt.Errorf("both %s and %s divide %s; take one, and the other of the result: %w", other, k, x.Name,
				cairn.ErrInvalid)
		}
		by[x.Name] = k

		d, err := k.Divide(ctx, x)
		if err != nil {
			return nil, err
		}
		have := g.of[x.Name]
		if have == nil {
			g.of[x.Name] = &division{d, d.Name == k.Name && k.Name != x.Name}
			continue
		}

		// All arrays of the output have one dimension.
		same, err := sameDivision(ctx, have.Division, d)
		if err != nil {
			return nil, err
		}
		if !same {
			return nil, fmt.Errorf("the coordinates of %s are others than those of another array: %w", x.Name,
				cairn.ErrUnsupported)
		}
	}
	return left, nil
}

// sameDivision reports whether two divisions have the same groups at the same coordinates.
func sameDivision(ctx context.Context, a, b *groups.Division) (bool, error) {
	if !slices.Equal(a.Of, b.Of) || a.Name != b.Name || (a.Coordinates == nil) != (b.Coordinates == nil) {
		return false, nil
	}
	if a.Coordinates == nil {
		return true, nil
	}

	x, err := ndarray.ViewOf(a.Coordinates).Read(ctx)
	if err != nil {
		return false, err
	}
	y, err := ndarray.ViewOf(b.Coordinates).Read(ctx)
	return bytes.Equal(x, y), err
}

// axisFor returns the axis of an array that a key divides, or nil if there is none.
func axisFor(ctx context.Context, k groups.Key, a *coords.Array, find coords.Lookup) (*coords.Axis, error) {
	if k.Name == "" {
		i := slices.IndexFunc(a.Axes, func(x *coords.Axis) bool { return x.IsTime(ctx) })
		if i < 0 {
			return nil, nil
		}
		return a.Axes[i], nil
	}
	if i := a.AxisNamed(ctx, k.Name); i >= 0 {
		return a.Axes[i], nil
	}

	src, err := find(ctx, k.Name)
	if src == nil || err != nil {
		return nil, err
	}
	if len(src.Shape()) > 1 {
		return nil, fmt.Errorf("groups by %s, which has shape %v, are those of single arrays, as in FILE.nc::KEY: %w",
			k.Name, src.Shape(), cairn.ErrUnsupported)
	}
	x, err := groups.Along(src, k.Name)
	if err != nil || !slices.ContainsFunc(a.Axes, func(own *coords.Axis) bool { return own.Name == x.Name }) {
		return nil, err
	}
	return x, nil
}

// Divides reports whether any of some dimensions is divided.
func (g *Groups) Divides(dims []string) bool {
	return slices.ContainsFunc(dims, func(dim string) bool { return g.division(dim) != nil })
}

// division returns that of a dimension, or nil.
func (g *Groups) division(dim string) *division {
	if g == nil {
		return nil
	}
	return g.of[dim]
}

// Replaces reports whether an array is the coordinates that those of groups replace, or the bounds
// of these. boundedBy is the key of the coordinates whose bounds it has, or "".
func (g *Groups) Replaces(a *data.Array, boundedBy string) bool {
	if len(a.Dims) == 0 {
		return false
	}
	dim := a.Dims[0]
	d := g.division(dim)
	if d == nil {
		return false
	}
	if boundedBy != "" {
		name := path.Base(boundedBy)
		return name == dim || name == d.Name
	}
	return len(a.Dims) == 1 && (a.Name == dim || a.Name == d.Name)
}

// Coordinates yields what takes the place of an array that Replaces is true for, by its key.
func (g *Groups) Coordinates(a *data.Array) iter.Seq2[string, ndarray.Source] {
	return func(yield func(string, ndarray.Source) bool) {
		d := g.division(a.Dims[0])
		of := a.Dims[0]
		if d.aside {
			of = d.Name
		}
		if a.Name != of || d.Coordinates == nil {
			return
		}

		key := path.Join(path.Dir(a.Key), d.Name)
		if !yield(key, d.Coordinates) || d.Bounds == nil {
			return
		}
		yield(path.Join(path.Dir(a.Key), groups.BoundsName(d.Name)), d.Bounds)
	}
}

// Array returns an array whose dimensions have the names of those of its groups. find returns an
// array of coordinates that is near, or nil.
func (g *Groups) Array(ctx context.Context, a *coords.Array, find coords.Lookup) (*coords.Array, error) {
	if g == nil {
		return a, nil
	}
	if err := g.findAreas(ctx, a, find); err != nil {
		return nil, err
	}
	left, err := g.Divide(ctx, a, find)
	if err != nil {
		return nil, err
	}

	labels, err := ndarray.LabelsOf(a.View)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		return nil, beside.NoGroups(left[0], append(a.Names(ctx), labels.Dims...))
	}
	dims := g.named(labels.Dims)
	if slices.Equal(dims, labels.Dims) {
		return a, nil
	}

	labels.Dims = dims
	renamed := *a
	renamed.View = ndarray.ViewOf(&relabelled{a.View, labels})
	return &renamed, nil
}

// findAreas finds the keys that are values of arrays of several dimensions of one array.
func (g *Groups) findAreas(ctx context.Context, a *coords.Array, find coords.Lookup) error {
	g.areas = nil
	g.names = beside.Of([]*coords.Array{a})
	for _, k := range g.keys {
		if k.Name == "" || a.AxisNamed(ctx, k.Name) >= 0 {
			continue
		}
		src, err := find(ctx, k.Name)
		if err != nil {
			return err
		}
		if src != nil && len(src.Shape()) > 1 {
			g.areas = append(g.areas, k)
		}
	}
	return nil
}

// Result returns an array with the axes of a reduction of one that Array has returned.
func (g *Groups) Result(a *coords.Array) (*coords.Array, error) {
	if g == nil {
		return a, nil
	}
	result := *a
	result.Axes = slices.Clone(a.Axes)
	for i, x := range a.Axes {
		d := g.division(x.Name)
		if d == nil || d.Coordinates == nil {
			continue
		}
		labels, err := ndarray.LabelsOf(d.Coordinates)
		if err != nil {
			return nil, err
		}
		// A single array is written without bounds.
		labels.Attributes = cf.WithBounds(labels.Attributes, "")

		along, err := groups.Along(&relabelled{d.Coordinates, labels}, d.Name)
		if err != nil {
			return nil, err
		}
		result.Axes[i] = along
	}

	for _, more := range g.names.Arrays()[1:] {
		result.Axes = append(result.Axes, more.Axes...)
	}
	return &result, nil
}

// By returns the groups along dimensions, as expressions ask for them. An array with other extents
// stands for the whole one, and has a single group.
func (g *Groups) By(ctx context.Context, name string, dims []string, shape ndarray.Shape) (all []compute.Groups, err error) {
	if name != ByName {
		return nil, fmt.Errorf("no groups are named %q: %w", name, cairn.ErrNotFound)
	}
	for i, dim := range dims {
		d := g.divisionNamed(dim)
		switch {
		case d == nil:
		case int64(len(d.Of)) == shape[i]:
			all = append(all, compute.Groups{Axis: i, Of: d.Of, Count: d.Count})
		default:
			all = append(all, compute.Groups{Axis: i, Of: make([]int, shape[i]), Count: 1})
		}
	}

	for _, k := range g.areas {
		more, err := g.names.Groups(ctx, k.String(), dims, shape)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// divisionNamed returns the division of a dimension, whose name may be that of its groups.
func (g *Groups) divisionNamed(name string) *division {
	if d := g.division(name); d != nil {
		return d
	}
	for _, d := range g.of {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// shape returns a shape with the numbers of groups.
func (g *Groups) shape(dims []string, shape ndarray.Shape) ndarray.Shape {
	shape = slices.Clone(shape)
	for i, dim := range dims {
		if d := g.division(dim); d != nil && i < len(shape) {
			shape[i] = int64(d.Count)
		}
	}
	return shape
}

// named returns the names of dimensions after groups have taken their places.
func (g *Groups) named(dims []string) []string {
	dims = slices.Clone(dims)
	for i, dim := range dims {
		if d := g.division(dim); d != nil {
			dims[i] = d.Name
		}
	}
	return dims
}

// growth returns how far an array may grow whose dimensions have become those of groups.
func (g *Groups) growth(of ndarray.Labels) ndarray.Shape {
	most := slices.Clone(of.MaxShape)
	for i, n := range most {
		d := g.division(of.Dims[i])
		if d != nil && (n >= 0 || d.Name != of.Dims[i]) {
			most[i] = int64(d.Count)
		}
	}
	return most
}
