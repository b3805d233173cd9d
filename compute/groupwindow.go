package compute

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// maxWidened is the maximum number of indexes along an axis whose groups have windows.
const maxWidened = 1 << 28

// widened returns a source in which an item stands once for each group to whose result it belongs,
// and options with groups of these. Nothing changes without windows.
func (o *Options) widened(src ndarray.Source) (ndarray.Source, *Options, error) {
	shape := src.Shape()
	selectors := make([]ndarray.Selector, len(shape))
	own := *o
	own.Groups = nil
	any := false

	for _, g := range o.Groups {
		axis, err := axisNumber(g.Axis, len(shape))
		if err == nil && g.Window > 1 && (len(g.Also) > 0 || o.Weights != nil) {
			err = fmt.Errorf("windows of groups of several axes, or with weights: %w", cairn.ErrUnsupported)
		}
		if err == nil && g.Window < 0 {
			err = fmt.Errorf("a window of %d groups: %w", g.Window, cairn.ErrInvalid)
		}
		if err != nil {
			return nil, nil, err
		}

		if g.Window > 1 && g.Count > 1 && int64(len(g.Of)) == shape[axis] {
			list, of, err := g.widened()
			if err != nil {
				return nil, nil, err
			}
			selectors[axis] = ndarray.Indices(list)
			g.Of = of
			any = true
		}
		g.Window = 0
		own.Groups = append(own.Groups, g)
	}

	if !any {
		return src, o, nil
	}
	view := ndarray.ViewOf(src).Slice(selectors...)
	return view, &own, view.Err()
}

// widened returns the indexes of the items of all groups, in their order, and the groups that they
// are in.
func (g *Groups) widened() (list []int64, of []int, err error) {
	n := min(g.Window, g.Count)
	if int64(n)*int64(len(g.Of)) > maxWidened {
		return nil, nil, fmt.Errorf("windows of %d groups of %d indexes, at most %d in all are possible: %w", n, len(g.Of),
			maxWidened, cairn.ErrLimit)
	}

	for x, group := range g.Of {
		if group < 0 || group >= g.Count {
			list = append(list, int64(x))
			of = append(of, group)
			continue
		}
		// The group is the first of the window of one that is half a window behind it.
		for k := range n {
			list = append(list, int64(x))
			of = append(of, (group+n/2-k+g.Count)%g.Count)
		}
	}
	return list, of, nil
}
