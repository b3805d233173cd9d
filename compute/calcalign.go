package compute

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/ndarray"
)

// aligned returns terms whose dimensions with one name stand at one place, counted from the last.
// Terms of which a dimension has no name, as after a selection with None, stay as they are, and so
// do all others then. The order of the names is that in which they occur.
func (b *binder) aligned(ctx context.Context, args []*term) ([]*term, error) {
	order, needed := orderOf(args)
	if !needed {
		return args, nil
	}

	own := slices.Clone(args)
	for i, a := range args {
		if len(a.shape) == 0 || slices.Equal(a.dims, order[len(order)-len(a.dims):]) {
			continue
		}

		var err error
		own[i], err = b.intern(func() (*term, error) { return b.alignedTerm(ctx, a, order) },
			"aligned", a.id, strings.Join(order, "\x00"))
		if err != nil {
			return nil, err
		}
	}
	return own, nil
}

// orderOf returns the names of the dimensions of all terms, and whether NumPy would let some stand
// for others.
func orderOf(args []*term) (order []string, needed bool) {
	for _, a := range args {
		if len(a.shape) == 0 {
			continue
		}
		if len(a.dims) != len(a.shape) {
			return nil, false
		}
		for i, name := range a.dims {
			if name == "" || strings.HasPrefix(name, "phony_dim_") || slices.Contains(a.dims[:i], name) {
				return nil, false
			}
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
	}
	return order, !samePlaces(args)
}

// samePlaces reports whether dimensions at one place, counted from the last, have one name.
func samePlaces(args []*term) bool {
	var names []string
	for _, a := range args {
		n := min(len(names), len(a.dims))
		if !slices.Equal(names[len(names)-n:], a.dims[len(a.dims)-n:]) {
			return false
		}

		if len(a.dims) > len(names) {
			names = a.dims
		}
	}
	return true
}

// alignedTerm returns a term with its dimensions in an order, and with one item along those that it
// lacks.
func (b *binder) alignedTerm(ctx context.Context, of *term, order []string) (*term, error) {
	src, err := b.sourceOf(of)
	if err != nil {
		return nil, err
	}

	var transposed, places []int
	var dims []string
	for _, name := range order {
		i := slices.Index(of.dims, name)
		switch {
		case i >= 0:
			transposed = append(transposed, i)
		case len(transposed) > 0:
			places = append(places, len(dims))
		default:
			continue // it would be the first
		}
		dims = append(dims, name)
	}

	view := ndarray.ViewOf(src).Transpose(transposed...)
	if len(places) > 0 {
		view = view.ExpandDims(places...)
	}

	if err := view.Err(); err != nil {
		return nil, err
	}

	t, err := b.sourceTerm(ctx, view)
	if err != nil {
		return nil, err
	}

	t.dims = dims
	t.moved = of.moved
	t.attributes = of.attributes
	t.dates = of.dates
	t.reads = of.reads
	t.reduces = of.reduces
	return t, nil
}
