package coords

import (
	"context"
	"math"

	"github.com/cairn-go/cairn/ndarray"
)

// stretch returns the shortest stretch along a dimension of a grid that has all marked indexes. It
// goes over the end if rows or columns close around the globe.
func (q *quest) stretch(ctx context.Context, dim int, marks []bool) (extent, error) {
	n := int64(len(marks))
	first := int64(-1)
	last := int64(-1)
	before := int64(-1) // the index before the widest gap
	after := int64(-1)
	for i, m := range marks {
		switch at := int64(i); {
		case !m:
		case first < 0:
			first = at
			last = at
		default:
			if at-last > after-before {
				before = last
				after = at
			}
			last = at
		}
	}

	plain := extent{start: first, stop: last + 1}
	if after-before-1 <= n-plain.stop+plain.start || q.lat == nil || q.lon == nil {
		return plain, nil
	}
	twice, closed, err := q.closes(ctx, dim)
	if err != nil || !closed {
		return plain, err
	}

	// Indexes that close the circle once more stand for the first ones.
	n -= twice
	for i := range twice {
		marks[i] = marks[i] || marks[n+i]
	}
	return around(marks[:n]), nil
}

// around returns the shortest stretch of a circle that has all marked indexes.
func around(marks []bool) extent {
	n := len(marks)
	start := 0
	widest := 0
	gap := 0
	for i := range 2 * n { // twice around, for gaps that go over the end
		if !marks[i%n] {
			gap++
			continue
		}
		if gap > widest {
			widest = gap
			start = i % n
		}
		gap = 0
	}

	stop := start + n - widest
	if stop <= n {
		return extent{start: int64(start), stop: int64(stop)}
	}
	e := extent{}
	for i := start; i < stop; i++ {
		e.list = append(e.list, int64(i%n))
	}
	return e
}

// closes reports whether the last index of a dimension lies beside the first one around the globe,
// and how many of the last ones are the same as the first ones.
func (q *quest) closes(ctx context.Context, dim int) (twice int64, closed bool, err error) {
	const edge = 3
	n := q.lat.src.Shape()[dim]
	if n < 2*edge {
		return 0, false, nil
	}

	var lat, lon [2 * edge][]float64
	for i := range lat {
		at := int64(i)
		if i >= edge {
			at = n - 2*edge + int64(i)
		}
		selectors := make([]ndarray.Selector, dim+1)
		selectors[dim] = ndarray.Index(at)
		if lat[i], err = q.lat.floats(ctx, selectors...); err != nil {
			return 0, false, err
		}
		if lon[i], err = q.lon.floats(ctx, selectors...); err != nil {
			return 0, false, err
		}
	}

	// apart is the sum of the distances between two rows or columns.
	apart := func(i, j int) (sum float64) {
		for k := range lat[i] {
			if d := angle(lat[i][k], lon[i][k], lat[j][k], lon[j][k]); !math.IsNaN(d) {
				sum += d
			}
		}
		return sum
	}

	step := max(apart(0, 1), apart(edge, edge+1))
	for twice := edge - 1; twice > 0; twice-- {
		same := 0.0
		for i := range twice {
			same += apart(i, 2*edge-twice+i)
		}
		if same < step/100 {
			return int64(twice), true, nil
		}
	}
	return 0, step > 0 && apart(0, 2*edge-1) < 1.5*step, nil
}
