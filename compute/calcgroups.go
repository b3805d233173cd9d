package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/ndarray"
)

// groupFunctions are the functions that stand for several reductions of groups.
var groupFunctions = []string{"clim", "standardize"}

// expanded returns a node in which calls of such functions are what they stand for.
func (b *binder) expanded(n *expr.Node) (*expr.Node, error) {
	whole := *n
	whole.Args = slices.Clone(n.Args)
	for i, a := range n.Args {
		of, err := b.expanded(a)
		if err != nil {
			return nil, err
		}
		whole.Args[i] = of
	}

	if n.Kind != expr.Call || !slices.Contains(groupFunctions, n.Text) {
		return &whole, nil
	}
	of, err := b.grouped(&whole)
	if err != nil {
		return nil, b.at(n, err)
	}
	return of, nil
}

// grouped returns what the call of such a function stands for:
//
//	clim(x, 'month-of-year')         nanmean(x, by='month-of-year', each=True)
//	standardize(x, 'month-of-year')  (x - clim(…)) / nanstd(x, by='month-of-year', each=True)
func (b *binder) grouped(n *expr.Node) (*expr.Node, error) {
	if len(n.Args) != 2 || n.Args[1].Kind != expr.String {
		return nil, fmt.Errorf("%s takes an array and the name of groups, as in %[1]s(x, 'month-of-year'): %w", n.Text,
			cairn.ErrBounds)
	}

	each := func(name string) *expr.Node {
		by := expr.Key{Name: "by", Pos: n.Args[1].Pos, Value: n.Args[1]}
		all := expr.Key{Name: "each", Pos: n.Pos, Value: &expr.Node{Kind: expr.Name, Text: "True", Pos: n.Pos}}
		keys := append([]expr.Key{by, all}, n.Keys...)
		return &expr.Node{Kind: expr.Call, Text: name, Pos: n.Pos, Args: n.Args[:1], Keys: keys}
	}

	mean := each("nanmean")
	if n.Text == "clim" {
		return mean, nil
	}
	part := func(op string, args ...*expr.Node) *expr.Node {
		return &expr.Node{Kind: expr.Binary, Text: op, Pos: n.Pos, Args: args}
	}
	return part("/", part("-", n.Args[0], mean), each("nanstd")), nil
}

// groupsOf returns the groups along axes of a term that a node names.
func (b *binder) groupsOf(ctx context.Context, n *expr.Node, of *term) ([]Groups, error) {
	if n.Kind != expr.String {
		return nil, fmt.Errorf("groups have a name in quotes: %w", cairn.ErrType)
	}
	if b.options.By == nil {
		return nil, fmt.Errorf("no groups are named %q: %w", n.Text, cairn.ErrNotFound)
	}
	dims := of.dims
	if dims == nil {
		dims = make([]string, len(of.shape))
	}

	all, err := b.options.By(ctx, n.Text, slices.Clone(dims), slices.Clone(of.shape))
	for _, g := range all {
		for _, axis := range g.axes() {
			if i, err := axisNumber(axis, len(dims)); err == nil && of.hasMoved(dims[i]) {
				return nil, fmt.Errorf("groups along %s, of which the array has a selection; select from the file by -s: %w",
					dims[i], cairn.ErrUnsupported)
			}
		}
	}
	return all, err
}

func (t *term) hasMoved(name string) bool {
	_, is := t.moved[name]
	return is
}

// movedAfter returns what the result of a reduction has moved. The coordinates of groups are not
// those of what has been divided.
func (r *bound) movedAfter(result *term) (all moved) {
	for _, name := range result.dims {
		if r.of.hasMoved(name) {
			all = all.with(name, r.of.moved[name])
		}
	}
	return all
}

// resultShape returns the shape of what a reduction makes of a term, before each item gets that of
// its group.
func (r *bound) resultShape(of *term, gone []bool) (ndarray.Shape, error) {
	groups, err := r.o.grouped(of.shape, gone)
	if err != nil {
		return nil, err
	}
	return r.o.project(groupsIn(of.shape, groups), gone), nil
}

// results returns the result of a reduction with the dimensions that are left, and with each=True
// an item for each of the argument.
func (r *bound) results(u *ndarray.Untyped, gone []bool) (ndarray.Source, error) {
	var dims []string
	for i, name := range r.of.dims {
		if !gone[i] || r.o.KeepDims {
			dims = append(dims, r.groupName(i, name))
		}
	}
	if dims != nil {
		if err := u.SetLabels(ndarray.Labels{Dims: dims}); err != nil {
			return nil, err
		}
	}

	if r.each {
		return r.spread(u, r.of)
	}
	return u, nil
}

// groupName returns the name of a dimension of the result, of which the term had another: that of
// its groups, unless each item gets that of its group.
func (r *bound) groupName(i int, name string) string {
	for _, g := range r.o.Groups {
		if k, err := axisNumber(g.Axis, len(r.of.dims)); err == nil && k == i && g.Name != "" && !r.each {
			return g.Name
		}
	}
	return name
}

// spread returns the result of a reduction with the item of its group for each index.
func (r *bound) spread(u *ndarray.Untyped, of *term) (ndarray.Source, error) {
	selectors := make([]ndarray.Selector, len(of.shape))
	for _, g := range r.o.Groups {
		if len(g.Also) > 0 {
			return nil, fmt.Errorf("each= of groups along several axes: %w", cairn.ErrUnsupported)
		}
		i, err := axisNumber(g.Axis, len(of.shape))
		if err != nil {
			return nil, err
		}

		list := make([]int64, len(g.Of))
		for k, number := range g.Of {
			if number < 0 {
				return nil, fmt.Errorf("index %d along axis %d is in no group, so that it has no result: %w", k, i,
					cairn.ErrBounds)
			}
			list[k] = int64(number)
		}
		selectors[i] = ndarray.Indices(list)
	}
	return u.Slice(selectors...), nil
}

// Where items are that a reduction takes as they are.
const (
	atFirst  = 0
	atLast   = -1
	atMiddle = 1 // the later one of two
)

// endOf returns the reduction that takes the first, the last, or the middle items.
func endOf(which int64) func(context.Context, reduceCall) (*ndarray.Untyped, error) {
	return func(ctx context.Context, c reduceCall) (*ndarray.Untyped, error) {
		shape := c.src.Shape()
		gone, err := c.o.resolve(len(shape))
		if err != nil {
			return nil, err
		}

		groups, err := c.o.grouped(shape, gone)
		if err != nil {
			return nil, err
		}

		selectors := make([]ndarray.Selector, len(shape))
		for i, n := range shape {
			index := max(0, map[int64]int64{atLast: n - 1, atMiddle: n / 2}[which])
			switch {
			case groups[i] != nil:
				ends, err := groups[i].ends(which)
				if err != nil {
					return nil, err
				}
				selectors[i] = ndarray.Indices(ends)
			case gone[i] && n == 0:
				return nil, errNoItems("first or last")
			case gone[i] && c.o.KeepDims:
				selectors[i] = ndarray.Range(index, index+1)
			case gone[i]:
				selectors[i] = ndarray.Index(index)
			}
		}
		return ndarray.Copy(ctx, ndarray.ViewOf(c.src).Slice(selectors...), nil)
	}
}

// ends returns the first, the last or the middle index of each group.
func (g *grouping) ends(which int64) ([]int64, error) {
	if g.joined() {
		return nil, fmt.Errorf("first or last of groups along several axes: %w", cairn.ErrUnsupported)
	}
	if slices.Contains(g.sizes, 0) {
		return nil, fmt.Errorf("first or last of a group without items: %w", cairn.ErrBounds)
	}

	ends := make([]int64, g.count)
	seen := make([]int64, g.count)
	for x, number := range g.of {
		if number < 0 {
			continue
		}
		take := map[int64]int64{atLast: g.sizes[number] - 1, atMiddle: g.sizes[number] / 2}[which]
		if seen[number] == take {
			ends[number] = int64(x)
		}
		seen[number]++
	}
	return ends, nil
}

// roomFor decides where the result of a reduction of so many bytes is, of which at most as many
// stay in memory.
func (b *binder) roomFor(r *bound, bytes, most int64) error {
	if bytes <= most {
		return nil
	}
	if b.options.Scratch == nil || r.pick == nil && !r.shaped && !r.quantile && r.name != "median" && r.name != "nanmedian" {
		return fmt.Errorf("a result of %d bytes, %d are allowed for results of reductions: %w", bytes, most,
			cairn.ErrLimit)
	}

	r.o.scratch = b.options.Scratch
	r.o.Array = &ndarray.Options{Level: 1}
	return nil
}
