package compute

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/ndarray"
)

// Groups divide the items along an axis, which has an item for each group in the result: the months
// of a time axis, boxes of four columns, intervals of a coordinate. The indexes of a group need not
// be adjacent.
//
// A mean, variance, quantile, least or greatest item of a group without items is NaN or NaT; where
// the dtype has neither, the error matches [cairn.ErrBounds]. [ArgMin] and [ArgMax] number the
// items along the axis, not those of the group. A chunk is read once, unless it has items of groups
// with more than half a million results in all, which are computed part by part.
type Groups struct {
	Axis  int   // a negative one counts from the end
	Of    []int // by index along the axis: the number of its group, or a negative one for none
	Count int   // number of groups, some of which may have no indexes
	// Also are more axes that are divided together with Axis, as regions are of latitudes and
	// longitudes. Of has a number for each item of a box of Axis and these, in C order. The result
	// has the groups in the place of Axis; the others are reduced.
	Also []int
	// Name is that of the dimension of the groups in the result of an expression; "" means that of
	// Axis.
	Name string
	// Window is how many successive groups, around each, have the items of its result: the first
	// group follows the last one, as those of the days of a year do. An even number has one more
	// before the group than behind it. 0 and 1 mean the group's own items.
	Window int
}

// axes returns all axes.
func (g *Groups) axes() []int { return append([]int{g.Axis}, g.Also...) }

// Every returns groups of n successive indexes, at least 1, along an axis with the given extent.
// The last group is shorter if n does not divide the extent.
func Every(n, extent int64, axis int) Groups {
	n = max(1, n)
	g := Groups{Axis: axis, Of: make([]int, extent), Count: int((extent + n - 1) / n)}
	for i := range g.Of {
		g.Of[i] = int(int64(i) / n)
	}
	return g
}

// A grouping is what tiles need to know of groups.
type grouping struct {
	of    []int32
	dims  []int   // along which of runs, in C order, beginning with that of the groups
	steps []int64 // between successive indexes of each of them
	count int
	sizes []int64 // of each group, in indexes
	parts []groupPart
}

// A groupPart is a range of groups whose results one tile has.
type groupPart struct {
	first, stop int
	chunks      []int64 // along the dimension: those in which there are indexes of the groups
}

// grouped returns the groups of each dimension, nil for those that are not divided into groups.
// Dimensions that are divided together with another one become reduced.
func (o *Options) grouped(shape ndarray.Shape, reduced []bool) ([]*grouping, error) {
	all := make([]*grouping, len(shape))
	for _, g := range o.Groups {
		i, err := axisNumber(g.Axis, len(shape))
		if err != nil {
			return nil, err
		}
		if reduced[i] || all[i] != nil {
			return nil, errkind.Invalid(fmt.Errorf("axis %d twice: %w", g.Axis, cairn.ErrBounds))
		}

		dims := []int{i}
		extent := shape[i]
		for _, axis := range g.Also {
			k, err := axisNumber(axis, len(shape))
			if err != nil {
				return nil, err
			}
			if reduced[k] || all[k] != nil || k == i {
				return nil, errkind.Invalid(fmt.Errorf("axis %d twice: %w", axis, cairn.ErrBounds))
			}
			reduced[k] = true
			dims = append(dims, k)
			extent *= shape[k]
		}

		if all[i], err = groupingOf(g, extent); err != nil {
			return nil, err
		}
		all[i].along(dims, shape)
	}
	return all, nil
}

// along sets the dimensions of the groups.
func (g *grouping) along(dims []int, shape ndarray.Shape) {
	g.dims = dims
	g.steps = make([]int64, len(dims))
	step := int64(1)
	for k := len(dims) - 1; k >= 0; k-- {
		g.steps[k] = step
		step *= shape[dims[k]]
	}
}

// number returns the group of an item, or a negative number.
func (g *grouping) number(at []int64) int32 {
	if len(g.dims) == 1 {
		return g.of[at[g.dims[0]]]
	}
	i := int64(0)
	for k, dim := range g.dims {
		i += at[dim] * g.steps[k]
	}
	return g.of[i]
}

// joined reports whether the items of more than one dimension are divided.
func (g *grouping) joined() bool { return len(g.dims) > 1 }

// groupingAlong returns the groups that divide a dimension, perhaps with others, or nil.
func groupingAlong(groups []*grouping, dim int) *grouping {
	for _, g := range groups {
		if g != nil && slices.Contains(g.dims, dim) {
			return g
		}
	}
	return nil
}

func groupingOf(g Groups, extent int64) (*grouping, error) {
	if int64(len(g.Of)) != extent {
		return nil, fmt.Errorf("groups of %d indexes along axis %d, which has %d: %w", len(g.Of), g.Axis, extent,
			cairn.ErrBounds)
	}
	if g.Count < 0 {
		return nil, fmt.Errorf("%d groups along axis %d: %w", g.Count, g.Axis, cairn.ErrInvalid)
	}
	if g.Count > maxGroups {
		return nil, fmt.Errorf("%d groups along axis %d, at most %d are possible: %w", g.Count, g.Axis, maxGroups,
			cairn.ErrLimit)
	}

	own := &grouping{of: make([]int32, extent), count: g.Count, sizes: make([]int64, g.Count)}
	for i, number := range g.Of {
		if number >= g.Count {
			return nil, fmt.Errorf("index %d along axis %d is in group %d of %d: %w", i, g.Axis, number, g.Count,
				cairn.ErrBounds)
		}
		own.of[i] = int32(max(number, -1))
		if number >= 0 {
			own.sizes[number]++
		}
	}
	return own, nil
}

// groupsIn returns a shape with the number of groups along dimensions that are divided into groups.
func groupsIn(shape ndarray.Shape, groups []*grouping) ndarray.Shape {
	shape = slices.Clone(shape)
	for i, g := range groups {
		if g != nil {
			shape[i] = int64(g.count)
		}
	}
	return shape
}

// maxGroups is the maximum number of groups along an axis.
const maxGroups = 1 << 30

// axisNumber returns the number of an axis, which counts from the end if it is negative.
func axisNumber(axis, dims int) (int, error) {
	i := axis
	if i < 0 {
		i += dims
	}
	if i < 0 || i >= dims {
		return 0, fmt.Errorf("axis %d of %d: %w", axis, dims, cairn.ErrBounds)
	}
	return i, nil
}

// mostCells is the number of cells above which the groups along a dimension are divided among
// tiles. A chunk is read again for each tile that has a group of it, so that tiles are large.
const mostCells = 1 << 19

// divideGroups divides the groups along each dimension into those of tiles.
func (s *tiling) divideGroups() {
	cells := int64(1)
	for i := range s.shape {
		switch {
		case s.groups[i] != nil:
			cells *= int64(max(1, s.groups[i].count))
		case !s.reduced[i]:
			cells *= min(s.chunk[i], s.shape[i])
		}
	}

	for i, g := range s.groups {
		if g == nil {
			continue
		}

		perTile := g.count
		if cells > mostCells && g.count > 1 {
			others := max(1, cells/int64(g.count))
			perTile = int(min(max(1, mostCells/others), int64(g.count)))
			tiles := (g.count-1)/perTile + 1
			perTile = (g.count-1)/tiles + 1 // so that they are alike
			cells = others * int64(perTile)
		}
		g.divide(perTile, s.chunk[i])
	}
}

// divide makes parts of so many groups.
func (g *grouping) divide(perTile int, chunk int64) {
	for first := 0; first < g.count; first += perTile {
		g.parts = append(g.parts, groupPart{first: first, stop: min(first+perTile, g.count)})
	}

	for x, number := range g.of {
		if number < 0 {
			continue
		}
		p := &g.parts[int(number)/perTile]
		c := int64(x) / g.steps[0] / chunk
		if n := len(p.chunks); n == 0 || p.chunks[n-1] != c {
			p.chunks = append(p.chunks, c)
		}
	}
}

// most returns the number of groups of the largest part.
func (g *grouping) most() int64 {
	if len(g.parts) == 0 {
		return 0
	}
	return int64(g.parts[0].stop - g.parts[0].first)
}

// run returns how many indexes along a dimension, from that of at on and before stop, are in the
// same group.
func (g *grouping) run(at []int64, dim int, stop int64) int64 {
	step := g.steps[slices.Index(g.dims, dim)]
	first := int64(0)
	for k, d := range g.dims {
		first += at[d] * g.steps[k]
	}

	n := int64(1)
	for at[dim]+n < stop && g.of[first+n*step] == g.of[first] {
		n++
	}
	return n
}

// tileShape returns the extents of tiles, and for reduced dimensions those of chunks.
func (s *tiling) tileShape() ndarray.Shape {
	shape := slices.Clone(s.chunk)
	for i, g := range s.groups {
		if g != nil {
			shape[i] = max(1, g.most())
		}
	}
	return shape
}

// grouped reports whether any dimension is divided into groups.
func (s *tiling) grouped() bool { return anyGrouped(s.groups) }

func anyGrouped(groups []*grouping) bool {
	return slices.ContainsFunc(groups, func(g *grouping) bool { return g != nil })
}

// digest tells groups from others.
func (g *grouping) digest() uint64 {
	if g == nil {
		return 0
	}
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, g.of) // which never fails
	_ = binary.Write(h, binary.LittleEndian, g.steps)
	return h.Sum64() + uint64(g.count)
}

// kept reports whether a dimension is one of the result as it is.
func (s *tiling) kept(i int) bool { return !s.reduced[i] && s.groups[i] == nil }
