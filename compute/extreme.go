package compute

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn/internal/asm/minmax"
	"github.com/cairn-go/cairn/ndarray"
)

// Min returns the least item, or NaN or NaT if any item is. T is a Go type for the items, as for
// [ndarray.As]: numbers, bool, [time.Time] for datetimes and [time.Duration] for timedeltas. For no
// items the error matches [cairn.ErrBounds]; if SkipNaN skips all items the result is NaN or NaT.
func Min[T any](ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[T], error) {
	return extreme[T](ctx, src, o, "least", func(f *family) reduction { return f.least })
}

// Max returns the greatest item; see [Min].
func Max[T any](ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[T], error) {
	return extreme[T](ctx, src, o, "greatest", func(f *family) reduction { return f.most })
}

func extreme[T any](ctx context.Context, src ndarray.Source, o *Options, what string,
	pick func(f *family) reduction) (ndarray.Array[T], error) {
	if _, err := ndarray.ViewAs[T](src); err != nil { // before a result is created
		return ndarray.Array[T]{}, fmt.Errorf("%s: %w", what, err)
	}
	return apply[T](ctx, src, o, what, pick)
}

func (n numbers[S, T]) extreme(greatest bool) reduction {
	return reductionOf[T]{n.open, func(s *setting) part[T] {
		newCells := func() *extremes[T] { return &extremes[T]{nat: n.nat, greatest: greatest, skip: s.o.SkipNaN} }

		p := partOf[T](newCells, func(c *extremes[T], cell int, _ int64) (S, error) {
			if c.seen[cell] == unseen {
				return n.none(s)
			}
			return n.item(c.best[cell]), nil
		})

		if n.nat { // T does not include the unit
			p.dtype = "<" + s.dtype.String()[1:]
		}
		return p
	}}
}

// none returns the least or greatest of no items, which is NaN or NaT in a group, if there is one.
func (n numbers[S, T]) none(s *setting) (S, error) {
	if s.grouped() && isFloat[T]() {
		nan := math.NaN()
		return n.item(T(nan)), nil
	}
	if s.grouped() && n.nat {
		nat := int64(math.MinInt64)
		return n.item(T(nat)), nil
	}
	return n.item(0), s.noItems("least or greatest")
}

// ArgMin returns the index of the least item or, if any is NaN, of NaN: the first of several, in C
// order over the reduced dimensions. For no items, or if SkipNaN skips all, the error matches
// [cairn.ErrBounds].
func ArgMin(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	return apply[int64](ctx, src, o, "place of the least", func(f *family) reduction { return f.argLeast })
}

// ArgMax returns the index of the greatest item; see [ArgMin].
func ArgMax(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	return apply[int64](ctx, src, o, "place of the greatest", func(f *family) reduction { return f.argMost })
}

func (n numbers[S, T]) argExtreme(greatest bool) reduction {
	return reductionOf[T]{n.open, func(s *setting) part[T] {
		p := partOf[T](func() *extremes[T] {
			return &extremes[T]{nat: n.nat, greatest: greatest, skip: s.o.SkipNaN, numbered: true}
		}, func(c *extremes[T], cell int, _ int64) (int64, error) {
			if c.seen[cell] == unseen || s.o.SkipNaN && c.seen[cell] == seenNaN {
				return 0, s.noItems("place of the least or greatest")
			}
			return c.number[cell], nil
		})
		p.numbered = true
		return p
	}}
}

// States of a cell of extremes. NaN takes precedence over a number, or is superseded by it with
// skip.
const (
	unseen uint8 = iota
	seenNumber
	seenNaN
)

// extremes are the least or greatest items, and their indexes.
type extremes[T ndarray.Real] struct {
	greatest, skip, numbered bool
	nat                      bool // the minimum of T is NaT
	best                     []T
	number                   []int64
	seen                     []uint8
	part                     [columnPart]T
}

func (c *extremes[T]) reset(n int) {
	c.best, c.seen = zeroed(c.best, n), zeroed(c.seen, n)
	if c.numbered {
		c.number = zeroed(c.number, n)
	}
}

// update compares an item with the one in a cell. Of equal items the one with the lower number
// wins, so that the order of calls does not matter.
func (c *extremes[T]) update(cell int, v T, number int64) {
	have := c.seen[cell]
	is := seenNumber
	if v != v || c.nat && int64(v) == math.MinInt64 {
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
		c.best[cell] = v
		c.seen[cell] = is
		if c.numbered {
			c.number[cell] = number
		}
	}
}

func (c *extremes[T]) row(cell int, values []T, at int64) {
	of := minOf[T]
	if c.greatest {
		of = maxOf[T]
	}
	v, isNaN := of(values)

	if c.nat {
		low, _ := minOf(values)
		isNaN = int64(low) == math.MinInt64
	}

	if isNaN {
		for k, v := range values {
			c.update(cell, v, at+int64(k))
		}
		return
	}

	if !c.numbered {
		c.update(cell, v, 0)
		return
	}

	if have := c.seen[cell]; have == seenNumber && v != c.best[cell] && (v > c.best[cell]) != c.greatest {
		return
	}

	for k, x := range values {
		if x == v {
			c.update(cell, v, at+int64(k))
			return
		}
	}
}

func (c *extremes[T]) column(cell int, values []T, at int64) {
	for k, v := range values {
		c.update(cell+k, v, at)
	}
}

func (c *extremes[T]) columns(cell int, values []T, width, rows, pitch int, at, step int64) {
	if c.numbered || c.nat {
		for row := range rows {
			c.column(cell, values[row*pitch:][:width], at+int64(row)*step)
		}
		return
	}

	for p := range columnParts(width, rows) {
		c.columnPart(cell+p.cell, values[p.row*pitch+p.cell:], p.width, p.rows, pitch)
	}
}

// columnPart compares at most columnRows rows with at most columnPart cells.
func (c *extremes[T]) columnPart(cell int, values []T, width, rows, pitch int) {
	part := c.part[:width]
	copy(part, values)

	if c.greatest {
		greatestColumns(part, values, rows, pitch)
	} else {
		leastColumns(part, values, rows, pitch)
	}

	best := c.best[cell:][:width]
	seen := c.seen[cell:][:width]

	for k, v := range part {
		switch {
		case v != v:
			for row := range rows {
				c.update(cell+k, values[row*pitch+k], 0)
			}
		case seen[k] != seenNumber:
			c.update(cell+k, v, 0)
		case c.greatest:
			best[k] = max(best[k], v)
		default:
			best[k] = min(best[k], v)
		}
	}
}

func (c *extremes[T]) repeat(cell int, value T, _, at int64) { c.update(cell, value, at) }

func (c *extremes[T]) merge(other cells[T]) {
	from := other.(*extremes[T])
	for i, seen := range from.seen {
		if seen == unseen {
			continue
		}

		number := int64(0)
		if c.numbered {
			number = from.number[i]
		}
		c.update(i, from.best[i], number)
	}
}

// minOf returns the least of values, which must not be empty, or isNaN if any is NaN. It keeps four
// results that do not depend on each other.
func minOf[T ndarray.Real](values []T) (m T, isNaN bool) {
	if least, _, ok := ends(values); ok {
		return least, least != least
	}

	a := values[0]
	b := values[0]
	c := values[0]
	d := values[0]

	for ; len(values) >= 4; values = values[4:] {
		v := (*[4]T)(values)
		a, b, c, d = min(a, v[0]), min(b, v[1]), min(c, v[2]), min(d, v[3])
	}

	for _, v := range values {
		a = min(a, v)
	}
	m = min(a, b, c, d)
	return m, m != m
}

// maxOf returns the greatest of values, like minOf.
func maxOf[T ndarray.Real](values []T) (m T, isNaN bool) {
	if _, most, ok := ends(values); ok {
		return most, most != most
	}

	a := values[0]
	b := values[0]
	c := values[0]
	d := values[0]

	for ; len(values) >= 4; values = values[4:] {
		v := (*[4]T)(values)
		a, b, c, d = max(a, v[0]), max(b, v[1]), max(c, v[2]), max(d, v[3])
	}

	for _, v := range values {
		a = max(a, v)
	}
	m = max(a, b, c, d)
	return m, m != m
}

// ends returns the least and the greatest of values, or NaN if any is, of the types that
// [minmax.Of] is for.
func ends[T ndarray.Real](values []T) (least, most T, ok bool) {
	switch values := any(values).(type) {
	case []int8:
		return endsOf[T](values)
	case []uint8:
		return endsOf[T](values)
	case []int16:
		return endsOf[T](values)
	case []uint16:
		return endsOf[T](values)
	case []int32:
		return endsOf[T](values)
	case []uint32:
		return endsOf[T](values)
	case []float32:
		return endsOf[T](values)
	}
	return least, most, false
}

func endsOf[T ndarray.Real, V minmax.Number](values []V) (least, most T, ok bool) {
	low, high := minmax.Of(values)
	return T(low), T(high), true
}
