package job

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// Named are the groups that an expression names by='name', of an array with some dimensions. The
// plan has them, so that workers need no coordinates.
type Named struct {
	Name  string        `json:"name"`
	Dims  []string      `json:"dims"`
	Shape ndarray.Shape `json:"shape"`
	Along []Grouping    `json:"along"`
}

// A Grouping has the groups along an axis.
type Grouping struct {
	Axis  int `json:"axis"`
	Count int `json:"count"` // of groups
	// Dim is the name of the dimension of the groups in the result, or "" for that of the axis.
	Dim string `json:"dim,omitempty"`
	// Runs are pairs of the number of a group, or -1 for none, and how many successive indexes
	// belong to it.
	Runs []int64 `json:"runs"`
}

// A groupFinder is what [compute.CalcOptions.By] is.
type groupFinder func(ctx context.Context, name string, dims []string, shape ndarray.Shape) ([]compute.Groups, error)

// mostGrouped is the maximum number of indexes along an axis with groups.
const mostGrouped = 1 << 24

// by returns what finds groups, or nil if there are none: those of the plan, and while it is made
// others too, which it takes in.
func (p *Plan) by() func(context.Context, string, []string, ndarray.Shape) ([]compute.Groups, error) {
	if p.find == nil && len(p.Groups) == 0 {
		return nil
	}
	return func(ctx context.Context, name string, dims []string, shape ndarray.Shape) ([]compute.Groups, error) {
		for i := range p.Groups {
			g := &p.Groups[i]
			if g.Name == name && slices.Equal(g.Dims, dims) && slices.Equal(g.Shape, shape) {
				return g.groups(), nil
			}
		}
		if p.find == nil {
			return nil, fmt.Errorf("the plan has no groups %q of an array of shape %v: %w", name, shape, cairn.ErrNotFound)
		}

		found, err := p.find(ctx, name, dims, shape)
		if err != nil {
			return nil, err
		}
		named := Named{Name: name, Dims: dims, Shape: shape}
		for _, g := range found {
			if len(g.Also) > 0 {
				return nil, fmt.Errorf("groups %q along several axes in a job: %w", name, cairn.ErrUnsupported)
			}
			named.Along = append(named.Along, groupingOf(g))
		}
		p.Groups = append(p.Groups, named)
		return named.groups(), nil
	}
}

// noCoordinates says that a job has no coordinates: of a name in an expression, and, as dims tell,
// of an axis along which a function would take them.
func noCoordinates(_ context.Context, name string, dims []string, _ ndarray.Shape) (ndarray.Source, error) {
	if dims == nil {
		return nil, fmt.Errorf("a job finds no coordinates, so give the array as %s=PATH: %w", name, cairn.ErrNotFound)
	}
	return nil, fmt.Errorf("a job does not know the coordinates of %s; give them, as in slope(t, '%s', x=c) with c=PATH: %w",
		name, name, cairn.ErrUnsupported)
}

func groupingOf(g compute.Groups) Grouping {
	own := Grouping{Axis: g.Axis, Count: g.Count, Dim: g.Name}
	for _, number := range g.Of {
		number := int64(max(number, -1))
		if n := len(own.Runs); n > 0 && own.Runs[n-2] == number {
			own.Runs[n-1]++
			continue
		}
		own.Runs = append(own.Runs, number, 1)
	}
	return own
}

func (n *Named) groups() (all []compute.Groups) {
	for _, along := range n.Along {
		g := compute.Groups{Axis: along.Axis, Count: along.Count, Name: along.Dim}
		for i := 0; i < len(along.Runs); i += 2 {
			g.Of = append(g.Of, slices.Repeat([]int{int(along.Runs[i])}, int(along.Runs[i+1]))...)
		}
		all = append(all, g)
	}
	return all
}

// checkGroups returns an error for groups that contradict themselves.
func (p *Plan) checkGroups() error {
	if len(p.Groups) > 0 && p.Kind != Calc && p.Kind != Reduce {
		return fmt.Errorf("groups of a %s", p.Kind)
	}
	for i := range p.Groups {
		if err := p.Groups[i].check(); err != nil {
			return fmt.Errorf("groups %q: %w", p.Groups[i].Name, err)
		}
	}
	return nil
}

func (n *Named) check() error {
	if len(n.Dims) != len(n.Shape) {
		return fmt.Errorf("%d names of dimensions, %d extents", len(n.Dims), len(n.Shape))
	}

	for _, along := range n.Along {
		axis := along.Axis
		if axis < 0 {
			axis += len(n.Shape)
		}
		if axis < 0 || axis >= len(n.Shape) {
			return fmt.Errorf("axis %d of %d", along.Axis, len(n.Shape))
		}
		if extent := n.Shape[axis]; extent > mostGrouped {
			return fmt.Errorf("%d indexes in groups: %w: at most %d", extent, cairn.ErrLimit, mostGrouped)
		}
		if along.Count < 0 || along.Count > mostGrouped || len(along.Runs)%2 != 0 {
			return fmt.Errorf("%d groups, a list of %d runs", along.Count, len(along.Runs))
		}

		left := n.Shape[axis]
		for i := 0; i < len(along.Runs); i += 2 {
			number := along.Runs[i]
			length := along.Runs[i+1]
			if number < -1 || number >= int64(along.Count) || length < 1 || length > left {
				return fmt.Errorf("%d indexes of group %d of %d, %d are left", length, number, along.Count, left)
			}
			left -= length
		}
		if left != 0 {
			return errors.New("indexes in no group, and not in none")
		}
	}
	return nil
}
