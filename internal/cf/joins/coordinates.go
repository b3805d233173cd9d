package joins

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/ndarray"
)

// coordinates compares those of the dimensions, and joins those of the axis.
func (j *joining) coordinates(ctx context.Context) error {
	for k, axis := range j.axes[0] {
		if k == j.Axis && !j.Stack {
			if err := j.joinCoordinates(ctx, k); err != nil {
				return err
			}
			continue
		}

		for i := 1; i < len(j.inputs); i++ {
			if k >= len(j.axes[i]) {
				continue // the shapes will not fit
			}
			if err := j.compare(ctx, k, i); err != nil {
				return err
			}
		}

		if view, ok := axis.Coordinates(ctx); ok {
			j.keep(axis.Name, view)
		}
	}
	return nil
}

func (j *joining) keep(name string, src ndarray.Source) {
	if !slices.ContainsFunc(j.Coordinates, func(c Coordinate) bool { return c.Name == name }) {
		j.Coordinates = append(j.Coordinates, Coordinate{name, src})
	}
}

// compare compares the coordinates of a dimension of an array with those of the first, and turns
// the array round if they are flipped.
func (j *joining) compare(ctx context.Context, dim, i int) error {
	x := j.axes[0][dim]
	y := j.axes[i][dim]
	if x.Len != y.Len || x.Name != y.Name {
		return nil // lengths that differ are told with the shapes
	}

	for _, axis := range []*coords.Axis{x, y} {
		if have, err := axis.HasCoordinates(ctx); err != nil || !have {
			return err
		}
	}

	r, why, err := coords.Compare(ctx, x, y)
	switch {
	case err != nil:
		return err
	case r == coords.Flipped:
		j.sources[i] = ndarray.ViewOf(j.sources[i]).Flip(dim)
		j.Turned = true
		j.move(i)
		j.note("%s of %s runs the other way; turned round", x.Name, j.inputs[i].Name)
	case r == coords.Different:
		return fmt.Errorf("the coordinates of %s in %s are not those in %s: %s: %w", x.Name, j.inputs[i].Name,
			j.inputs[0].Name, why, cairn.ErrType)
	}
	return nil
}

func (j *joining) move(i int) {
	if j.moved == nil {
		j.moved = map[int]bool{}
	}
	j.moved[i] = true
}

// joinCoordinates joins the coordinates of the axis, and looks at their order.
func (j *joining) joinCoordinates(ctx context.Context, dim int) error {
	var axes []*coords.Axis
	var parts []ndarray.Source
	var all []items
	lacking := "" // the first one without

	for i, in := range j.inputs {
		if dim >= len(j.axes[i]) {
			return nil
		}
		view, ok := j.axes[i][dim].Coordinates(ctx)
		if !ok {
			if _, err := j.axes[i][dim].HasCoordinates(ctx); err != nil {
				return err
			}
			if lacking == "" {
				lacking = in.Name
			}
			continue
		}

		it, err := itemsOf(fmt.Sprintf("the coordinates of %s in %s", j.axes[i][dim].Name, in.Name), view)
		if err != nil {
			return err
		}
		axes = append(axes, j.axes[i][dim])
		parts = append(parts, view)
		all = append(all, it)
	}

	if len(parts) == 0 {
		return nil
	}

	name := axes[0].Name
	switch {
	case lacking == j.inputs[0].Name && j.fixed:
		return nil // the array goes without
	case lacking != "" && j.fixed:
		j.note("%s has no coordinates of %s that continue those of %s, which stay as they are", lacking, name,
			j.inputs[0].Name)
		return nil
	case lacking != "":
		j.note("%s has no coordinates of %s, nor has the result", lacking, name)
		return nil
	}

	f, err := j.formOf(all)
	if err != nil {
		return err
	}
	if err := f.convertCoordinates(ctx, parts, axes, all); err != nil {
		return err
	}

	if j.fixed { // the array has its own already
		parts = parts[1:]
	}
	if j.along, err = f.together(0, parts); err != nil {
		return err
	}
	if err := j.order(ctx, name, axes); err != nil {
		return err
	}

	if j.sorting != nil {
		j.along = relabelled(ndarray.ViewOf(j.along).Slice(ndarray.Indices(j.sorting)), f.labels)
	}
	j.keep(name, j.along)
	return nil
}

// convertCoordinates brings coordinates into the form: what is in order is in one unit.
func (f *form) convertCoordinates(ctx context.Context, parts []ndarray.Source, axes []*coords.Axis, all []items) (err error) {
	for i := range parts {
		if parts[i], err = f.convert(parts[i], all[i]); err != nil {
			return err
		}
		if f.how != rescaled {
			continue
		}
		if axes[i], err = axisOf(ctx, parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// axisOf returns the axis with some coordinates.
func axisOf(ctx context.Context, src ndarray.Source) (*coords.Axis, error) {
	self := func(context.Context, string) (ndarray.Source, error) { return src, nil }
	axis := coords.New(src, self).Axes[0]
	_, err := axis.HasCoordinates(ctx)
	return axis, err
}

// order looks at the order of the joined coordinates.
func (j *joining) order(ctx context.Context, name string, axes []*coords.Axis) error {
	order, err := coords.OrderOf(ctx, axes)
	switch {
	case err != nil:
		return err
	case order.Duplicate != "":
		return fmt.Errorf("%s %s occurs twice; select what each input is to give (-s with copy): %w", name,
			order.Duplicate, ErrOrder)
	case j.Sort && order.Sorting != nil:
		j.sorting = order.Sorting
	case !order.Sorted && j.fixed:
		return fmt.Errorf("%s: %s, so that the items would be out of order; write a new array with concat -sort: %w",
			name, order.Break, ErrOrder)
	case !order.Sorted:
		return fmt.Errorf("%s: %s; give the inputs in their order, or -sort: %w", name, order.Break, ErrOrder)
	}
	return nil
}
