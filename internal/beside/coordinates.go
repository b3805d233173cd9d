// Package beside finds what expressions name beside arrays: coordinates, and groups of them.
package beside

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/groups"
	"github.com/cairn-go/cairn/internal/suggest"
	"github.com/cairn-go/cairn/ndarray"
)

// Names are what expressions over some arrays may name beside them. They are for one goroutine.
type Names struct {
	arrays []*coords.Array
	axes   []*coords.Axis // of groups that have been found
}

// Of returns the names beside arrays.
func Of(arrays []*coords.Array) *Names { return &Names{arrays: arrays} }

// Arrays returns the arrays whose coordinates results may have: the groups that have been found
// are the axes of another one.
func (n *Names) Arrays() []*coords.Array {
	return append(slices.Clip(n.arrays), &coords.Array{Axes: n.axes})
}

// keep keeps the coordinates of groups.
func (n *Names) keep(d *groups.Division) error {
	if d.Coordinates == nil {
		return nil
	}
	labels, err := ndarray.LabelsOf(d.Coordinates)
	if err != nil {
		return err
	}
	// A single array is written without bounds.
	labels.Attributes = cf.WithBounds(labels.Attributes, "")

	x, err := groups.Along(&relabelled{d.Coordinates, labels}, d.Name)
	if err == nil {
		n.axes = append(n.axes, x)
	}
	return err
}

// A relabelled source has other labels.
type relabelled struct {
	ndarray.Source
	labels ndarray.Labels
}

func (r *relabelled) Labels() (ndarray.Labels, error) { return r.labels, nil }

// Coordinate returns the coordinates of the arrays with a name, for compute.CalcOptions.Coordinate.
func (n *Names) Coordinate(ctx context.Context, name string, dims []string, shape ndarray.Shape) (ndarray.Source, error) {
	var found ndarray.Labelled
	for _, a := range n.arrays {
		src, err := a.Named(ctx, name)
		if err != nil {
			return nil, err
		}
		if src == nil {
			continue
		}

		suits, err := suit(src, dims, shape)
		if err != nil {
			return nil, err
		}
		switch {
		case !suits:
		case found == nil:
			found = src
		default:
			same, err := agree(ctx, name, found, src)
			if err != nil {
				return nil, err
			}
			if !same {
				return nil, fmt.Errorf("the coordinates %s of the arrays contradict each other; name the array that is meant "+
					"as %s=PATH: %w", name, name, cairn.ErrType)
			}
		}
	}

	if found == nil {
		return nil, noCoordinates(ctx, name, n.arrays)
	}
	return found, nil
}

// suit reports whether coordinates are those of an array with some dimensions; nil are any.
func suit(src ndarray.Labelled, dims []string, shape ndarray.Shape) (bool, error) {
	if dims == nil {
		return true, nil
	}
	labels, err := src.Labels()
	if err != nil {
		return false, err
	}
	for i, n := range src.Shape() {
		k := slices.Index(dims, labels.Dims[i])
		if k < 0 || shape[k] != n {
			return false, nil
		}
	}
	return true, nil
}

// agree reports whether two arrays of coordinates stand for the same.
func agree(ctx context.Context, name string, a, b ndarray.Labelled) (bool, error) {
	if !slices.Equal(a.Shape(), b.Shape()) {
		return false, nil
	}
	if len(a.Shape()) == 1 {
		x, err := axisOf(ctx, name, a)
		if err != nil {
			return false, err
		}
		y, err := axisOf(ctx, name, b)
		if err != nil || x.Name != y.Name {
			return false, err
		}
		r, _, err := coords.Compare(ctx, x, y)
		return r == coords.Same, err
	}

	mine, err := a.Labels()
	if err != nil {
		return false, err
	}
	others, err := b.Labels()
	if err != nil || !slices.Equal(mine.Dims, others.Dims) || !a.DType().Equal(b.DType()) {
		return false, err
	}
	if len(cf.Compare(cf.Of(a.DType(), mine.Attributes), cf.Of(b.DType(), others.Attributes))) > 0 {
		return false, nil
	}
	return sameItems(ctx, a, b)
}

// compared is how many bytes of each array are compared at a time.
const compared = 1 << 20

// sameItems reports whether the items of two arrays of the same shape and dtype have the same
// bytes.
func sameItems(ctx context.Context, a, b ndarray.Source) (bool, error) {
	shape := a.Shape()
	rows := int64(1)
	selector := func(int64) []ndarray.Selector { return nil }

	step := int64(1)
	if len(shape) > 0 {
		rows = shape[0]
		row := int64(a.DType().Size())
		for _, n := range shape[1:] {
			row *= n
		}
		step = max(1, compared/max(1, row))
		selector = func(i int64) []ndarray.Selector {
			return []ndarray.Selector{ndarray.Range(i, min(i+step, rows))}
		}
	}

	for i := int64(0); i < rows; i += step {
		x, err := ndarray.ViewOf(a).Read(ctx, selector(i)...)
		if err != nil {
			return false, err
		}
		y, err := ndarray.ViewOf(b).Read(ctx, selector(i)...)
		if err != nil || !bytes.Equal(x, y) {
			return false, err
		}
	}
	return true, nil
}

// axisOf returns the axis that coordinates run along.
func axisOf(ctx context.Context, name string, src ndarray.Source) (*coords.Axis, error) {
	x, err := groups.Along(src, name)
	if err == nil {
		_, err = x.HasCoordinates(ctx)
	}
	return x, err
}

// noCoordinates is the error for a name of no coordinates.
func noCoordinates(ctx context.Context, name string, arrays []*coords.Array) error {
	var names []string
	for _, a := range arrays {
		names = append(names, a.Names(ctx)...)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return fmt.Errorf("no coordinates are named %q, and there are none: %w", name, cairn.ErrNotFound)
	}
	return fmt.Errorf("no coordinates are named %q, but %s%s: %w", name, strings.Join(names, ", "),
		suggest.Question(name, names), cairn.ErrNotFound)
}
