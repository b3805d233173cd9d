package coords

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/ndarray"
)

// Named returns the values of the coordinates with a name, cut as the array is; nil if there are
// none. They are those of a dimension, also by its standard name or axis, those of a dimension that
// a selection has removed, or another array near it whose dimensions are some of the array's, or
// that has none. Times are numbers with units and a calendar, or dates of NumPy.
func (a *Array) Named(ctx context.Context, name string) (ndarray.Labelled, error) {
	if i := slices.IndexFunc(a.fixed, func(x *Axis) bool { return x.Name == name }); i >= 0 {
		src, err := a.fixed[i].values(ctx)
		if src == nil || err != nil {
			return nil, err
		}
		view := ndarray.ViewOf(src).Slice(ndarray.Index(0))
		return view, view.Err()
	}

	if i := slices.IndexFunc(a.Axes, func(x *Axis) bool { return x.Name == name }); i >= 0 {
		return a.Axes[i].values(ctx)
	}
	if src, err := a.beside(ctx, name); src != nil || err != nil {
		return src, err
	}
	if i := a.AxisNamed(ctx, name); i >= 0 {
		return a.Axes[i].values(ctx)
	}
	return nil, nil
}

// Names returns the names of the coordinates of an array that it tells of: those of its dimensions,
// and of its attributes.
func (a *Array) Names(ctx context.Context) (names []string) {
	for _, x := range slices.Concat(a.Axes, a.fixed) {
		if have, err := x.HasCoordinates(ctx); err == nil && have {
			names = append(names, x.Name)
		}
	}
	for _, r := range cf.References(a.Attributes) {
		if r.Role == cf.Coordinate && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// values returns the coordinates of an axis as values, or nil if there are none.
func (x *Axis) values(ctx context.Context) (ndarray.Labelled, error) {
	have, err := x.HasCoordinates(ctx)
	if err != nil || !have {
		return nil, err
	}

	view := x.view()
	labels, err := ndarray.LabelsOf(view)
	if err != nil {
		return nil, err
	}
	labels.Dims = []string{x.Name}
	labels.Attributes, _ = cf.WithoutMissing(labels.Attributes) // there are no missing coordinates
	return values.Of(&relabelled{view, labels}, nil)
}

// beside returns the values of another array near an array, cut as that is, or nil.
func (a *Array) beside(ctx context.Context, name string) (ndarray.Labelled, error) {
	if a.lookup == nil || name == "" {
		return nil, nil
	}
	src, err := a.lookup(ctx, name)
	if errors.Is(err, cairn.ErrNotFound) || src == nil && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("coordinates %s: %w", name, err)
	}

	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, fmt.Errorf("coordinates %s: %w", name, err)
	}
	shape := src.Shape()
	if len(labels.Dims) != len(shape) {
		return nil, nil
	}

	view := ndarray.ViewOf(src)
	for at, i := 0, 0; i < len(shape); i++ {
		x := a.axisOf(labels.Dims[i])
		if x == nil || x.whole != shape[i] {
			return nil, nil // it is about something else
		}

		before := len(view.Shape())
		for _, s := range x.taken {
			selectors := make([]ndarray.Selector, len(view.Shape()))
			selectors[at] = s
			view = view.Slice(selectors...)
		}
		at += 1 + len(view.Shape()) - before
	}
	if err := view.Err(); err != nil {
		return nil, fmt.Errorf("coordinates %s: %w", name, err)
	}
	return values.Of(view, nil)
}

// axisOf returns the axis of the whole array that has a name, or nil.
func (a *Array) axisOf(name string) *Axis {
	for _, x := range slices.Concat(a.Axes, a.fixed) {
		if x.Name == name && name != "" {
			return x
		}
	}
	return nil
}

// relabelled is a source with other labels.
type relabelled struct {
	ndarray.Source
	labels ndarray.Labels
}

func (r *relabelled) Labels() (ndarray.Labels, error) { return r.labels, nil }
