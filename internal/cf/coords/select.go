package coords

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// Select returns the part of an array that a selection names. An index or a single value removes
// its dimension, unless several items have that value.
func (a *Array) Select(ctx context.Context, s Selection) (*Array, error) {
	selectors := s.selectors
	axes := a.Axes
	if s.terms != nil {
		var places Places
		if err := places.Add(ctx, a, s); err != nil {
			return nil, err
		}
		s, _ = places.Of(ctx, a, s)

		var err error
		if selectors, axes, err = a.named(ctx, s); err != nil {
			return nil, err
		}
	}

	if len(selectors) == 0 {
		return a, nil
	}

	part := *a
	part.View = a.View.Slice(selectors...)
	if err := part.View.Err(); err != nil {
		return nil, err
	}

	part.Axes, part.fixed = a.cutAxes(axes, selectors, part.View.Shape())
	return &part, nil
}

// cutAxes returns the axes of a part with a shape, and those that the part lacks.
func (a *Array) cutAxes(all []*Axis, selectors []ndarray.Selector, shape ndarray.Shape) (axes, fixed []*Axis) {
	fixed = slices.Clone(a.fixed)
	isNew := func(s ndarray.Selector) bool { return s.String() == ndarray.NewAxis.String() }
	isRest := func(s ndarray.Selector) bool { return s.String() == ndarray.Ellipsis.String() }

	if !slices.ContainsFunc(selectors, isRest) {
		selectors = append(slices.Clone(selectors), ndarray.Ellipsis)
	}

	rest := len(all) + 1 - len(selectors) // dimensions for the ellipsis
	for _, s := range selectors {
		if isNew(s) {
			rest++
		}
	}

	next := all
	for _, s := range selectors {
		if isNew(s) {
			axes = append(axes, &Axis{Len: 1, coordinates: &coordinates{}})
			continue
		}
		if isRest(s) {
			axes = append(axes, next[:rest]...)
			next = next[rest:]
			continue
		}

		axis := next[0]
		next = next[1:]
		i, err := strconv.ParseInt(s.String(), 10, 64)
		if err != nil { // not a single item, so the dimension stays
			axes = append(axes, axis.cut(s, shape[len(axes)]))
			continue
		}

		if i < 0 {
			i += axis.Len
		}

		gone := axis.cut(s, 1)
		gone.at = i
		fixed = append(fixed, gone)
	}
	return axes, fixed
}

// named returns the selectors of a selection by name, one per dimension, and the axes to cut.
func (a *Array) named(ctx context.Context, s Selection) ([]ndarray.Selector, []*Axis, error) {
	selectors := make([]ndarray.Selector, len(a.Axes))
	axes := slices.Clone(a.Axes)
	taken := make([]bool, len(axes))
	for _, t := range s.terms {
		i := a.AxisNamed(ctx, t.name)
		if i < 0 {
			return nil, nil, a.noDimension(ctx, t.name)
		}
		if taken[i] {
			return nil, nil, fmt.Errorf("selection %q: two terms are about the dimension %s: %w", s.text, axes[i].Name,
				cairn.ErrUnsupported)
		}
		taken[i] = true

		axis := *axes[i]
		var err error
		if selectors[i], axis.moved, err = axis.selector(ctx, t); err != nil {
			return nil, nil, fmt.Errorf("selection %q: %w", t.text(), err)
		}
		axes[i] = &axis
	}
	return selectors, axes, nil
}

// AxisNamed returns the number of the dimension with a name, or else of the only one whose
// coordinates have it as their standard name, or run along the axis of space and time that it
// stands for: T or time, X, Y, Z, longitude and lon, latitude and lat. It is -1 if there is none.
func (a *Array) AxisNamed(ctx context.Context, name string) int {
	found := slices.IndexFunc(a.Axes, func(x *Axis) bool { return x.Name == name })
	if found >= 0 || name == "" {
		return found
	}

	by := func(is func(c *coordinates) bool) int {
		only := -1
		for i, axis := range a.Axes {
			if have, err := axis.HasCoordinates(ctx); err != nil || !have || !is(axis.coordinates) {
				continue
			}
			if only >= 0 {
				return -1
			}
			only = i
		}
		return only
	}

	found = by(func(c *coordinates) bool { return c.standard == name })
	if found >= 0 {
		return found
	}
	return by(func(c *coordinates) bool { return c.stands(name) })
}

// noDimension is the error for a name that no dimension has.
func (a *Array) noDimension(ctx context.Context, name string) error {
	var list []string
	unnamed := true
	for _, axis := range a.Axes {
		unnamed = unnamed && axis.Name == ""
		list = append(list, axis.Describe(ctx))
	}
	if unnamed {
		return fmt.Errorf("the dimensions have no names, such as %q; select by index, as in 0:10: %w",
			name, cairn.ErrNotFound)
	}
	return fmt.Errorf("no dimension %q; there are %s: %w", name, strings.Join(list, ", "), cairn.ErrNotFound)
}

// selector returns what a term selects along its dimension, and the coordinates of that if they
// are others than those that the selector takes.
func (x *Axis) selector(ctx context.Context, t term) (s ndarray.Selector, moved *coordinates, err error) {
	if t.at != nil {
		return *t.at, nil, nil
	}
	if t.by == '[' {
		s, err = indexes(t.what)
		return s, nil, err
	}

	have, err := x.HasCoordinates(ctx)
	switch {
	case err != nil:
		return s, nil, fmt.Errorf("%w; %s[…] selects by index", err, x.Name)
	case have:
	case t.by == '=':
		s, err = indexes(t.what)
		return s, nil, err
	default:
		return s, nil, fmt.Errorf("%s has no coordinates: %w", x.Name, cairn.ErrNotFound)
	}

	q, err := x.coordinates.query(t.what)
	switch {
	case err != nil:
		if _, other := indexes(t.what); other == nil && x.coordinates.scale != nil {
			err = fmt.Errorf("%w; %s[%s] selects by index", err, x.Name, t.what)
		}
	case t.by == '~':
		s, err = x.nearest(ctx, q)
	case q.between == nil:
		s, err = x.equal(ctx, q)
	case x.coordinates.around > 0 && x.Len <= most && q.between.closed():
		s, moved, err = x.arc(ctx, q, t)
	default:
		s, err = x.between(ctx, q, t)
	}
	return s, moved, err
}

// between returns the items with values of a range.
func (x *Axis) between(ctx context.Context, q query, t term) (ndarray.Selector, error) {
	first := int64(-1)
	stop := int64(0)
	order := 0
	var last value

	reversed := compare(q.between.first, q.between.last) > 0
	if reversed { // as the items of an axis that descends; the ends swap what they cover
		swapped, err := x.reverse(t.what)
		if err != nil {
			return ndarray.Selector{}, err
		}
		q.between = swapped
	}

	err := x.scan(ctx, func(i int64, v value) error {
		step := compare(v, last)
		switch {
		case v.missing() || i > 0 && step*order < 0:
			return fmt.Errorf("the coordinates are not sorted; a range needs that: %w", cairn.ErrUnsupported)
		case i > 0 && step != 0:
			order = step
		}

		last = v
		if compare(v, q.between.first) >= 0 && compare(v, q.between.last) <= 0 {
			if first < 0 {
				first = i
			}
			stop = i + 1
		}
		return nil
	})

	switch {
	case err != nil:
		return ndarray.Selector{}, err
	case reversed && order > 0:
		return ndarray.Selector{}, fmt.Errorf("the end is before the start: %w", cairn.ErrBounds)
	case first < 0:
		return ndarray.Selector{}, fmt.Errorf("no item is in the range; there is %s: %w",
			x.Describe(ctx), cairn.ErrNotFound)
	}
	return ndarray.Range(first, stop).Step(q.step), nil
}

// reverse parses a range whose start is greater than its end, as the range the other way round.
func (x *Axis) reverse(text string) (*span, error) {
	d := &x.coordinates.decoder
	first, rest, err := d.cut(text)
	if err != nil {
		return nil, err
	}
	last, _, err := d.cut(strings.TrimPrefix(rest, ":"))
	if err != nil || first == nil || last == nil {
		return nil, d.noRange(text)
	}
	return &span{last.first, first.last}, nil
}

// most is how many items a list of values may select.
const most = 1 << 20

// equal returns the items with one of some values.
func (x *Axis) equal(ctx context.Context, q query) (ndarray.Selector, error) {
	found := make([][]int64, len(q.spans))
	total := 0
	err := x.scan(ctx, func(i int64, v value) error {
		for k, s := range q.spans {
			at := x.coordinates.turned(v, s.first)
			if !v.missing() && compare(at, s.first) >= 0 && compare(at, s.last) <= 0 {
				found[k] = append(found[k], i)
				if total++; total > most {
					return fmt.Errorf("more than %d items have these values; select a range: %w", most, cairn.ErrLimit)
				}
			}
		}
		return nil
	})

	if err != nil {
		return ndarray.Selector{}, err
	}
	for k, items := range found {
		if len(items) == 0 {
			return ndarray.Selector{}, x.notFound(ctx, q.spans[k])
		}
	}

	all := slices.Concat(found...)
	switch n := int64(len(all)); {
	case q.list:
		return ndarray.Indices(all), nil
	case n == 1:
		return ndarray.Index(all[0]), nil
	case all[n-1]-all[0] == n-1:
		return ndarray.Range(all[0], all[n-1]+1), nil
	}
	return ndarray.Indices(all), nil
}

// notFound is the error for a value that no item has.
func (x *Axis) notFound(ctx context.Context, s span) error {
	d := &x.coordinates.decoder
	if d.textual || x.Len == 0 {
		return fmt.Errorf("no item is %q; there is %s: %w", s.first.text, x.Describe(ctx), cairn.ErrNotFound)
	}

	i, err := x.closest(ctx, s.first)
	if err != nil || i < 0 {
		return cmp.Or(err, fmt.Errorf("%s has only missing coordinates: %w", x.Name, cairn.ErrNotFound))
	}

	near, err := x.Texts(ctx, i, i+1)
	if err != nil {
		return err
	}

	return fmt.Errorf("no item has this value; there is %s; %s~… would take the nearest, %s: %w",
		x.Describe(ctx), x.Name, near[0], cairn.ErrNotFound)
}

// nearest returns the item whose value is nearest.
func (x *Axis) nearest(ctx context.Context, q query) (ndarray.Selector, error) {
	d := &x.coordinates.decoder
	if q.between != nil || q.list || d.textual {
		return ndarray.Selector{}, fmt.Errorf("the nearest item is that of one number or date: %w", cairn.ErrUnsupported)
	}

	at := q.spans[0].first
	if d.packing != nil {
		at.hi = (at.hi + q.spans[0].last.hi) / 2
	}

	i, err := x.closest(ctx, at)
	if err == nil && i < 0 {
		err = fmt.Errorf("there are no coordinates: %w", cairn.ErrNotFound)
	}
	return ndarray.Index(i), err
}

// closest returns the index of the first item whose value is nearest, or -1.
func (x *Axis) closest(ctx context.Context, to value) (best int64, err error) {
	best = -1
	least := math.Inf(1)
	unit := 1.0
	if x.coordinates.scale != nil {
		unit = 1e-9 // of lo
	}

	err = x.scan(ctx, func(i int64, v value) error {
		v = x.coordinates.turned(v, to)
		if d := math.Abs(v.hi - to.hi + (v.lo-to.lo)*unit); d < least {
			best = i
			least = d
		}
		return nil
	})
	return best, err
}
