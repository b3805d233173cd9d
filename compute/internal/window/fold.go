package window

import "math"

// A fold accumulates rows in states of type S, of which a column has one or more.
type fold[T Item, S any] struct {
	state    []S
	suffixes []S
}

// maxSuffixes is the maximum number of states that are kept; where there would be more, rows are
// added again.
const maxSuffixes = 1 << 20

// of calls done for each result with the state of the last rows of one stretch, and with that of
// the first ones of the next. A state has planes of one item for each column, all of which are
// none at first. add adds the items of a row to it.
func (f *fold[T, S]) of(p *pass[T], planes int, none S, add func(to []S, row []T), done func(row int64, a, b []S)) {
	n := planes * p.width
	f.state = resized(f.state, n)

	for row := p.dst.First; row < p.dst.end(); {
		first := row - p.spec.Before
		edge := nextMultiple(first, p.spec.Items)
		last := min(p.dst.end(), edge+p.spec.Before) // from here on, they begin in the next stretch
		last = min(last, row+max(1, int64(maxSuffixes/max(1, n))))

		f.suffix(p, first, first+last-row, edge, none, add)

		fill(f.state, none)
		at := edge
		for k := row; k < last; k++ {
			_, stop := p.window(k)
			for ; at < stop; at++ {
				add(f.state, p.src.row(at, p.column, p.width))
			}
			done(k, f.suffixes[int(k-row)*n:][:n], f.state)
		}
		row = last
	}
}

// suffix sets the suffixes to the states of the rows from first on, from first+1 on, and so on up
// to stop, all of them up to an edge.
func (f *fold[T, S]) suffix(p *pass[T], first, stop, edge int64, none S, add func(to []S, row []T)) {
	n := len(f.state)
	f.suffixes = resized(f.suffixes, int(stop-first)*n)
	fill(f.state, none)

	for at := min(edge, p.spec.Extent) - 1; at >= max(0, first); at-- {
		add(f.state, p.src.row(at, p.column, p.width))
		if at < stop {
			copy(f.suffixes[int(at-first)*n:][:n], f.state)
		}
	}
	for at := first; at < min(0, stop); at++ { // all of them begin with the first row
		copy(f.suffixes[int(at-first)*n:][:n], f.state)
	}
}

func fill[S any](states []S, v S) {
	for i := range states {
		states[i] = v
	}
}

// nextMultiple returns the least multiple of n, positive or not, that is greater than v.
func nextMultiple(v, n int64) int64 {
	k := v / n
	if v%n < 0 {
		k--
	}
	return (k + 1) * n
}

func countRow[T Item](to []int32, row []T) {
	to = to[:len(row)]
	if times, ok := any(row).([]int64); ok {
		for i, v := range times {
			if v != math.MinInt64 {
				to[i]++
			}
		}
		return
	}
	for i, v := range row {
		if v == v {
			to[i]++
		}
	}
}
