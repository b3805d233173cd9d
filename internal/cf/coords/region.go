package coords

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A quest is for the cells of a grid between latitudes and longitudes, or for the one nearest to a
// point.
type quest struct {
	lat, lon *located // or nil
	between  [2]span  // of latitudes and longitudes
	point    [2]bool
	west     float64 // of a range that goes around the globe
	around   bool
	turned   bool // some longitudes inside are stored otherwise
}

// on reports whether coordinates have the dimensions of the grid.
func (q *quest) on(c *located) bool { return slices.Equal(q.any().dims, c.dims) }

func (q *quest) any() *located {
	if q.lat != nil {
		return q.lat
	}
	return q.lon
}

// key tells grids apart.
func (q *quest) key() string {
	c := q.any()
	text := fmt.Sprint(c.dims, c.whole)
	for _, c := range []*located{q.lat, q.lon} {
		if c != nil {
			text += " " + c.name
		}
	}
	return text
}

// add takes a term of latitudes or longitudes.
func (q *quest) add(t term, c *located) error {
	k := 0
	if c.axis == cf.X {
		k = 1
	}
	if k == 0 && q.lat != nil || k == 1 && q.lon != nil {
		return fmt.Errorf("two terms are about %s: %w", c.name, cairn.ErrUnsupported)
	}
	if k == 0 {
		q.lat = c
	} else {
		q.lon = c
	}

	d, _ := newDecoder(cf.Of(c.src.DType(), meta.Map{}))
	parsed, err := d.query(t.what)
	switch {
	case err != nil:
		return err
	case parsed.list || parsed.between != nil && parsed.step != 1:
		return fmt.Errorf("cells are selected by a range, or by one value for the nearest: %w", cairn.ErrUnsupported)
	case parsed.between == nil:
		q.between[k] = parsed.spans[0]
		q.point[k] = true
		return nil
	case t.by == '~':
		return fmt.Errorf("the nearest cell is that of one value: %w", cairn.ErrUnsupported)
	}

	q.between[k] = *parsed.between
	b := &q.between[k]
	switch {
	case k == 1 && b.closed():
		q.around = true
		if b.first.hi > b.last.hi { // as along a dimension
			turns := 360 * math.Ceil((b.first.hi-b.last.hi)/360)
			if b.first.hi > 180 {
				b.first.hi -= turns
			} else {
				b.last.hi += turns
			}
		}
		q.west = (b.first.hi+b.last.hi)/2 - 180
	case b.first.hi > b.last.hi:
		b.first, b.last = b.last, b.first
	}
	return nil
}

// find returns what is taken along the dimensions of the grid.
func (q *quest) find(ctx context.Context) ([]extent, error) {
	c := q.any()
	if q.lat != nil && q.lon != nil && q.point[0] != q.point[1] || q.point != [2]bool{} && len(c.dims) > 1 &&
		(q.lat == nil || q.lon == nil) {
		return nil, fmt.Errorf("one latitude and one longitude take the nearest cell, and ranges, such as lat=30:60, "+
			"all within: %w", cairn.ErrUnsupported)
	}

	lead, err := q.flatten(ctx)
	if err != nil {
		return nil, err
	}

	var found []extent
	if q.point != [2]bool{} {
		found, err = q.nearest(ctx)
	} else {
		found, err = q.inside(ctx)
	}
	if err != nil {
		return nil, err
	}
	extents := make([]extent, lead, lead+len(found))
	for i := range extents {
		extents[i].all = true
	}
	return append(extents, found...), nil
}

// flatten takes the first of the planes of coordinates of more than two dimensions, such as those
// that WRF writes for each time. All must be the same.
func (q *quest) flatten(ctx context.Context) (lead int, err error) {
	for _, c := range []*located{q.lat, q.lon} {
		if c == nil || len(c.dims) <= 2 {
			continue
		}
		lead = len(c.dims) - 2
		first := make([]ndarray.Selector, lead)
		last := make([]ndarray.Selector, lead)
		for i, n := range c.src.Shape()[:lead] {
			if n == 0 {
				return 0, fmt.Errorf("%s has no items: %w", c.name, cairn.ErrNotFound)
			}
			first[i] = ndarray.Index(0)
			last[i] = ndarray.Index(n - 1)
		}

		plane := ndarray.ViewOf(c.src).Slice(first...)
		a, err := plane.Read(ctx)
		if err != nil {
			return 0, err
		}
		b, err := ndarray.ViewOf(c.src).Slice(last...).Read(ctx)
		if err != nil {
			return 0, err
		}
		if !slices.Equal(a, b) {
			return 0, fmt.Errorf("%s changes along %s; select by index: %w", c.name, c.dims[0], cairn.ErrUnsupported)
		}
		flat := *c
		flat.src = plane
		if c == q.lat {
			q.lat = &flat
		} else {
			q.lon = &flat
		}
	}
	return lead, nil
}

// floats returns coordinates in degrees, NaN where there are none.
func (c *located) floats(ctx context.Context, selectors ...ndarray.Selector) ([]float64, error) {
	convert, err := govalue.FloatsOf(c.src.DType())
	if err != nil || c.src.DType().IsStruct() {
		return nil, fmt.Errorf("items of dtype %s are no coordinates: %w", c.src.DType(), cairn.ErrType)
	}
	raw, err := ndarray.ViewOf(c.src).Slice(selectors...).Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("coordinates %s: %w", c.name, err)
	}

	all := make([]float64, len(raw)/c.src.DType().Size())
	convert.Convert(all, raw)
	for i, v := range all {
		if math.Abs(v) > 1e20 { // a fill value that no attribute tells of
			v = math.NaN()
		}
		all[i] = v * c.scale
	}
	return all, nil
}

// scan calls do with the coordinates of all cells, some successive ones at a time. Those that no
// term is about are nil.
func (q *quest) scan(ctx context.Context, do func(at int64, lat, lon []float64)) error {
	shape := q.any().src.Shape()
	width := int64(1) // of cells for each index of the first dimension
	if len(shape) == 2 {
		width = max(1, shape[1])
	}

	step := max(1, 16*piece/width)
	for at := int64(0); at < shape[0]; at += step {
		var both [2][]float64
		for k, c := range []*located{q.lat, q.lon} {
			if c == nil {
				continue
			}
			var err error
			if both[k], err = c.floats(ctx, ndarray.Range(at, min(at+step, shape[0]))); err != nil {
				return err
			}
		}
		do(at*width, both[0], both[1])
	}
	return nil
}

// holds reports whether a latitude, or a longitude, is in the range of those.
func (q *quest) holds(k int, v float64) bool {
	b := q.between[k]
	if v >= b.first.hi && v <= b.last.hi {
		return true
	}
	if k == 0 || !q.around || math.IsNaN(v) {
		return false
	}

	const slack = 360.0 / (1 << 22) // of rounding in 32 bits
	from := v - b.first.hi
	from -= 360 * math.Floor(from/360)
	width := b.last.hi - b.first.hi
	if from <= width+slack || from >= 360-slack {
		q.turned = true
		return true
	}
	return false
}

// inside returns the least box that has all cells within the ranges, or of a list these.
func (q *quest) inside(ctx context.Context) ([]extent, error) {
	shape := q.any().src.Shape()
	marks := make([][]bool, len(shape))
	for i, n := range shape {
		marks[i] = make([]bool, n)
	}
	width := shape[len(shape)-1]
	total := 0

	ends := [2]span{{highest, lowest}, {highest, lowest}}
	err := q.scan(ctx, func(at int64, lat, lon []float64) {
		for i := range max(len(lat), len(lon)) {
			in := true
			for k, all := range [2][]float64{lat, lon} {
				if all == nil {
					continue
				}
				in = in && q.holds(k, all[i])
				if !math.IsNaN(all[i]) {
					ends[k].first.hi = min(ends[k].first.hi, all[i])
					ends[k].last.hi = max(ends[k].last.hi, all[i])
				}
			}
			if !in {
				continue
			}
			total++
			cell := at + int64(i)
			marks[len(marks)-1][cell%width] = true
			if len(marks) == 2 {
				marks[0][cell/width] = true
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return nil, q.nothing(ends)
	}

	if len(marks) == 1 {
		return []extent{listed(marks[0])}, nil
	}
	var extents []extent
	for dim, m := range marks {
		e, err := q.stretch(ctx, dim, m)
		if err != nil {
			return nil, err
		}
		extents = append(extents, e)
	}
	return extents, nil
}

// nothing is the error for ranges without cells.
func (q *quest) nothing(ends [2]span) error {
	var there []string
	for k, c := range []*located{q.lat, q.lon} {
		switch {
		case c == nil:
		case ends[k].first.hi > ends[k].last.hi:
			there = append(there, "none of "+c.name)
		default:
			there = append(there, fmt.Sprintf("%s from %.6g to %.6g", c.name, ends[k].first.hi, ends[k].last.hi))
		}
	}
	return fmt.Errorf("no cell is inside; there is %s: %w", strings.Join(there, ", "), cairn.ErrNotFound)
}

// listed returns the indexes that are marked.
func listed(marks []bool) extent {
	e := extent{start: int64(slices.Index(marks, true))}
	for i, m := range marks {
		if m {
			e.list = append(e.list, int64(i))
			e.stop = int64(i) + 1
		}
	}
	if int64(len(e.list)) == e.stop-e.start {
		e.list = nil
	}
	return e
}

// nearest returns the cell whose distance from a point is least, the first of several.
func (q *quest) nearest(ctx context.Context) ([]extent, error) {
	to := [2]float64{q.between[0].first.hi, q.between[1].first.hi}
	best := int64(-1)
	least := math.Inf(1)
	err := q.scan(ctx, func(at int64, lat, lon []float64) {
		for i := range max(len(lat), len(lon)) {
			d := 0.0
			switch {
			case lat == nil:
				d = math.Abs(math.Remainder(lon[i]-to[1], 360))
			case lon == nil || math.Abs(lat[i]-to[0]) > least:
				d = math.Abs(lat[i] - to[0])
			default:
				d = angle(lat[i], lon[i], to[0], to[1])
			}
			if d < least {
				best = at + int64(i)
				least = d
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if best < 0 {
		return nil, fmt.Errorf("no cell has coordinates: %w", cairn.ErrNotFound)
	}

	shape := q.any().src.Shape()
	if len(shape) == 1 {
		return []extent{{point: true, start: best}}, nil
	}
	return []extent{{point: true, start: best / shape[1]}, {point: true, start: best % shape[1]}}, nil
}

// angle returns the degrees of the great circle between two points.
func angle(lat1, lon1, lat2, lon2 float64) float64 {
	const degree = math.Pi / 180
	up := math.Sin((lat2 - lat1) * degree / 2)
	east := math.Sin((lon2 - lon1) * degree / 2)
	h := up*up + math.Cos(lat1*degree)*math.Cos(lat2*degree)*east*east
	return 2 * math.Asin(math.Sqrt(min(1, h))) / degree
}
