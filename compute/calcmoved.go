package compute

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/ndarray"
)

// moved are the coordinates of the dimensions of a term, by their names, along which its items have
// others than in the sources: nil where they are not known.
type moved map[string]ndarray.Source

// with returns a copy with the coordinates of one more dimension.
func (m moved) with(name string, src ndarray.Source) moved {
	if name == "" {
		return m
	}
	all := moved{name: src}
	for other, src := range m {
		if other != name {
			all[other] = src
		}
	}
	return all
}

// mostMoved is how many coordinates are compared, at most.
const mostMoved = 1 << 22

// movedIn returns what terms that are combined to some shape have moved. Where they contradict each
// other, nothing is known.
func movedIn(ctx context.Context, args []*term, shape ndarray.Shape) (moved, error) {
	type known struct {
		src ndarray.Source
		is  bool // it is moved
	}
	found := map[string]known{}
	var all moved
	for _, a := range args {
		for i, name := range a.dims {
			if name == "" || a.shape[i] != shape[len(shape)-len(a.shape)+i] {
				continue
			}
			src, is := a.moved[name]
			have, before := found[name]
			if !before {
				found[name] = known{src, is}
				if is {
					all = all.with(name, src)
				}
				continue
			}

			same := !have.is && !is
			if have.is && is {
				var err error
				if same, err = sameMoved(ctx, have.src, src); err != nil {
					return nil, err
				}
			}
			if !same {
				found[name] = known{nil, true}
				all = all.with(name, nil)
			}
		}
	}
	return all, nil
}

// sameMoved reports whether two arrays of coordinates have the same items.
func sameMoved(ctx context.Context, a, b ndarray.Source) (bool, error) {
	if a == nil || b == nil {
		return false, nil
	}
	shape := a.Shape()
	if !slices.Equal(shape, b.Shape()) || !a.DType().Equal(b.DType()) || itemsOf(shape) > mostMoved {
		return false, nil
	}
	x, err := ndarray.ViewOf(a).Read(ctx)
	if err != nil {
		return false, err
	}
	y, err := ndarray.ViewOf(b).Read(ctx)
	return bytes.Equal(x, y), err
}

// alongDim returns the coordinates of a dimension of a term. There are none if the error matches
// cairn.ErrNotFound.
func (b *binder) alongDim(ctx context.Context, name string, of *term) (ndarray.Source, error) {
	src, is := of.moved[name]
	switch {
	case is && src == nil:
		return nil, fmt.Errorf("the coordinates of %s are not known after what is done with the array: %w", name,
			cairn.ErrNotFound)
	case is:
		return src, nil
	}
	return b.coordinateOf(ctx, name, of)
}

// cutAlong returns what a term has moved after a selection along one of its axes.
func (b *binder) cutAlong(ctx context.Context, of *term, axis int, s ndarray.Selector) moved {
	if axis >= len(of.dims) || of.dims[axis] == "" {
		return of.moved
	}

	name := of.dims[axis]
	src, err := b.alongDim(ctx, name, of)
	if err != nil {
		return of.moved.with(name, nil) // there are none
	}
	view := ndarray.ViewOf(src).Slice(s)
	if view.Err() != nil || len(view.Shape()) != 1 {
		return of.moved.with(name, nil)
	}
	return of.moved.with(name, view)
}

// cutBy returns what a term has moved after selections, of which each stands for a dimension or for
// all that are left.
func (b *binder) cutBy(ctx context.Context, of *term, selectors []ndarray.Selector) moved {
	own := 0 // selectors that stand for a dimension
	for _, s := range selectors {
		if text := s.String(); text != "..." && text != "None" {
			own++
		}
	}

	at := 0
	after := *of
	for _, s := range selectors {
		switch s.String() {
		case "None":
		case "...":
			at += max(0, len(of.dims)-own)
		case ":":
			at++
		default:
			after.moved = b.cutAlong(ctx, &after, at, s)
			at++
		}
	}
	return after.moved
}

// cutIn returns what the selections in a node that names a part of a source have moved: nothing
// that is known.
func cutIn(n *expr.Node, dims []string) (all moved) {
	for ; len(n.Args) > 0; n = n.Args[0] {
		if _, isField := fieldOf(n); n.Kind != expr.Index || isField {
			continue
		}
		for _, name := range dims {
			all = all.with(name, nil)
		}
	}
	return all
}

// placedAt returns coordinates at some numbers, with the attributes that others have.
func placedAt(values []float64, name string, like ndarray.Source) ndarray.Source {
	if like == nil || isDates(like) {
		return nil
	}
	labels, err := ndarray.LabelsOf(like)
	if err != nil || cf.HasEncoding(labels.Attributes) {
		return nil
	}
	u, err := ndarray.FromSlice(values, ndarray.Shape{int64(len(values))}, nil)
	if err != nil {
		return nil
	}
	kept, _ := cf.WithoutMissing(cf.WithBounds(labels.Attributes, ""))
	if err := u.SetLabels(ndarray.Labels{Dims: []string{name}, Attributes: slices.Clone(kept)}); err != nil {
		return nil
	}
	return u
}

// Selected returns the names of the dimensions along which items have other coordinates than in the
// sources, after selections, differences or interpolation in the expression.
func (e *Expression) Selected() (names []string) {
	for _, name := range e.labels.Dims {
		if _, is := e.moved[name]; is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Coordinates returns the coordinates along a dimension that [Expression.Selected] names, or nil if
// they are not known.
func (e *Expression) Coordinates(dim string) ndarray.Source {
	src := e.moved[dim]
	if src == nil {
		return nil
	}
	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil
	}
	return &placed{src, ndarray.Labels{Dims: []string{dim}, Attributes: cf.WithBounds(labels.Attributes, "")}}
}

// placed are coordinates with other labels.
type placed struct {
	ndarray.Source
	labels ndarray.Labels
}

func (p *placed) Labels() (ndarray.Labels, error) { return p.labels, nil }
