package compute

import (
	"context"

	"github.com/cairn-go/cairn/ndarray"
)

// Min returns the least item, NaN if one is NaN. Of no items it is an error matching [cairn.ErrBounds]; where SkipNaN leaves none of some it is NaN.
func Min[T ndarray.Real](ctx context.Context, src ndarray.Src[T], o *Options) (ndarray.Array[T], error) {
	return extreme(ctx, src, o, false)
}

// Max returns the greatest item; see [Min].
func Max[T ndarray.Real](ctx context.Context, src ndarray.Src[T], o *Options) (ndarray.Array[T], error) {
	return extreme(ctx, src, o, true)
}

func extreme[T ndarray.Real](ctx context.Context, src ndarray.Src[T], o *Options,
	greatest bool) (ndarray.Array[T], error) {
	o = o.orDefault()
	name := "min"
	if greatest {
		name = "max"
	}
	return reduce[T](ctx, src, o, false, func() *extremes[T] {
		return &extremes[T]{greatest: greatest,
			skip: o.SkipNaN}
	},
		func(c *extremes[T], cell int) (T, error) {
			if c.seen[cell] == unseen {
				var none T
				return none, errNoItems(name)
			}
			return c.best[cell], nil
		})
}

// ArgMin returns the number of the least item, the first of several, or of the first NaN, in C order over the reduced dimensions. Of no items, and where SkipNaN
// leaves none, it is an error matching [cairn.ErrBounds].
func ArgMin(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	r, err := realsOf(src, "place of the least")
	if err != nil {
		return ndarray.Array[int64]{}, err
	}
	return r.argExtreme(ctx, src, o, false)
}

// ArgMax returns the number of the greatest item; see [ArgMin].
func ArgMax(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	r, err := realsOf(src, "place of the greatest")
	if err != nil {
		return ndarray.Array[int64]{}, err
	}
	return r.argExtreme(ctx, src, o, true)
}

func (reals[T]) argExtreme(ctx context.Context, src ndarray.Source, o *Options,
	greatest bool) (ndarray.Array[int64], error) {
	o = o.orDefault()
	return reduce[T](ctx, src, o, true, func() *extremes[T] {
		return &extremes[T]{greatest: greatest,
			skip: o.SkipNaN, numbered: true}
	},
		func(c *extremes[T], cell int) (int64, error) {
			if c.seen[cell] == unseen || o.SkipNaN && c.seen[cell] == seenNaN {
				return 0, errNoItems("place of the least or greatest")
			}
			return c.number[cell], nil
		})
}

// What a cell of extremes has seen. NaN is stronger than a number, or weaker if it is to be skipped.
const (
	unseen uint8 = iota
	seenNumber
	seenNaN
)

// extremes are the least or greatest items, and their numbers.
type extremes[T ndarray.Real] struct {
	greatest, skip, numbered bool
	best                     []T
	number                   []int64
	seen                     []uint8
}

func (c *extremes[T]) reset(n int) {
	c.best, c.seen = cleared(c.best, n), cleared(c.seen, n)
	if c.numbered {
		c.number = cleared(c.number, n)
	}
}

// take compares an item with what a cell has. Of equal ones the lower number wins, so that the order of items does not matter.
func (c *extremes[T]) take(cell int, v T, number int64) {
	have, is := c.seen[cell], seenNumber
	if v != v {
		is = seenNaN
	}
	wins := have == unseen
	switch {
	case wins:
	case is != have:
		wins = (is == seenNaN) != c.skip
	case is == seenNumber && v != c.best[cell]:
		wins = (v > c.best[cell]) == c.greatest
	default:
		wins = c.numbered && number < c.number[cell]
	}
	if wins {
		c.best[cell], c.seen[cell] = v, is
		if c.numbered {
			c.number[cell] = number
		}
	}
}

func (c *extremes[T]) row(cell int, values []T, at int64) {
	v, isNaN := least(values)
	if c.greatest {
		v, isNaN = most(values)
	}
	if isNaN {
		c.rowNaN(cell, values, at)
		return
	}
	if !c.numbered {
		c.take(cell, v, 0)
		return
	}
	if have := c.seen[cell]; have == seenNumber && v != c.best[cell] && (v > c.best[cell]) != c.greatest {
		return
	}
	for k, x := range values {
		if x == v {
			c.take(cell, v, at+int64(k))
			return
		}
	}
}

// rowNaN is row where there is NaN.
func (c *extremes[T]) rowNaN(cell int, values []T, at int64) {
	for k, v := range values {
		c.take(cell, v, at+int64(k))
	}
}

func (c *extremes[T]) column(cell int, values []T, at int64) {
	for k, v := range values {
		// What neither wins nor is NaN is most items, and no call.
		if best := c.best[cell+k]; c.seen[cell+k] == seenNumber && !c.numbered && (v <= best && c.greatest || v >= best && !c.greatest) {
			continue
		}
		c.take(cell+k, v, at)
	}
}

func (c *extremes[T]) repeat(cell int, value T, _, at int64) { c.take(cell, value, at) }

func (c *extremes[T]) merge(from *extremes[T]) {
	for i, seen := range from.seen {
		if seen == unseen {
			continue
		}
		number := int64(0)
		if c.numbered {
			number = from.number[i]
		}
		c.take(i, from.best[i], number)
	}
}

// least returns the least of values, which are some, or that there is NaN. Four at a time do not wait for each other.
func least[T ndarray.Real](values []T) (m T, isNaN bool) {
	a, b, c, d := values[0], values[0], values[0], values[0]
	isNaN = a != a
	for ; len(values) >= 4; values = values[4:] {
		v := (*[4]T)(values)
		if v[0] < a {
			a = v[0]
		}
		if v[1] < b {
			b = v[1]
		}
		if v[2] < c {
			c = v[2]
		}
		if v[3] < d {
			d = v[3]
		}
		if v[0] != v[0] || v[1] != v[1] || v[2] != v[2] || v[3] != v[3] {
			return a, true
		}
	}
	for _, v := range values {
		if v < a {
			a = v
		}
		isNaN = isNaN || v != v
	}
	return min(a, b, c, d), isNaN
}

// most is least for the greatest.
func most[T ndarray.Real](values []T) (m T, isNaN bool) {
	a, b, c, d := values[0], values[0], values[0], values[0]
	isNaN = a != a
	for ; len(values) >= 4; values = values[4:] {
		v := (*[4]T)(values)
		if v[0] > a {
			a = v[0]
		}
		if v[1] > b {
			b = v[1]
		}
		if v[2] > c {
			c = v[2]
		}
		if v[3] > d {
			d = v[3]
		}
		if v[0] != v[0] || v[1] != v[1] || v[2] != v[2] || v[3] != v[3] {
			return a, true
		}
	}
	for _, v := range values {
		if v > a {
			a = v
		}
		isNaN = isNaN || v != v
	}
	return max(a, b, c, d), isNaN
}
