package diff

import (
	"math"
	"math/cmplx"
)

// A tally follows the places in one batch. They are -1 where the batch has none.
type tally struct {
	c                        *Counts
	at                       int64 // the number of the batch's first item
	first, largest, relative int
}

func newTally(c *Counts, at int64) tally { return tally{c, at, -1, -1, -1} }

// differs counts item i as different.
func (t *tally) differs(i int) {
	t.c.Differ++
	if t.c.First == nil {
		t.c.First = t.mark(nil, i, 0)
		t.first = i
	}
}

// by records that the numbers of item i differ by a distance; the second has a magnitude.
func (t *tally) by(i int, distance, magnitude float64) {
	if t.c.Largest == nil || distance > t.c.Largest.By {
		t.c.Largest, t.largest = t.mark(t.c.Largest, i, distance), i
	}
	if magnitude == 0 || math.IsInf(magnitude, 0) {
		return
	}
	if share := distance / magnitude; t.c.Relative == nil || share > t.c.Relative.By {
		t.c.Relative, t.relative = t.mark(t.c.Relative, i, share), i
	}
}

// mark makes a place that of item i.
func (t *tally) mark(p *Place, i int, by float64) *Place {
	if p == nil {
		p = &Place{At: []int64{0}}
	}
	p.At[0] = t.at + int64(i)
	p.By = by
	return p
}

// within reports whether a distance is within the tolerances.
func (o *Options) within(distance, magnitude float64) bool {
	return distance <= o.AbsTol+o.RelTol*magnitude && !math.IsInf(distance, 0) && !math.IsInf(magnitude, 0)
}

// unlike counts item i, where at least one number is NaN.
func (t *tally) unlike(i int, both bool, o *Options) {
	if both && o.EqualNaN {
		return
	}
	if both {
		t.c.NaN++
	}
	t.differs(i)
}

func (o *Options) floats(c *Counts, at int64, x, y []float64) (first, largest, relative int) {
	t := newTally(c, at)
	for i, a := range x {
		b := y[i]
		if a == b {
			c.numbers++
			continue
		}
		if a != a || b != b {
			t.unlike(i, a != a && b != b, o)
			continue
		}

		distance := math.Abs(a - b)
		magnitude := math.Abs(b)
		t.by(i, distance, magnitude)
		if !math.IsInf(distance, 0) {
			c.sum += a - b
			c.numbers++
		}
		if !o.within(distance, magnitude) {
			t.differs(i)
		}
	}
	return t.first, t.largest, t.relative
}

func (o *Options) complexes(c *Counts, at int64, x, y []complex128) (first, largest, relative int) {
	t := newTally(c, at)
	for i, a := range x {
		b := y[i]
		if a == b {
			continue
		}
		if cmplx.IsNaN(a) || cmplx.IsNaN(b) {
			t.unlike(i, cmplx.IsNaN(a) && cmplx.IsNaN(b), o)
			continue
		}

		distance := cmplx.Abs(a - b)
		magnitude := cmplx.Abs(b)
		if math.IsNaN(distance) { // of infinities
			distance = math.Inf(1)
		}
		t.by(i, distance, magnitude)
		if !o.within(distance, magnitude) {
			t.differs(i)
		}
	}
	return t.first, t.largest, t.relative
}

func (o *Options) ints(c *Counts, at int64, x, y []int64) (first, largest, relative int) {
	t := newTally(c, at)
	for i, a := range x {
		if b := y[i]; a != b {
			o.integer(&t, i, a < b, uint64(max(a, b))-uint64(min(a, b)), math.Abs(float64(b)))
		}
	}
	c.numbers += int64(len(x))
	return t.first, t.largest, t.relative
}

func (o *Options) uints(c *Counts, at int64, x, y []uint64) (first, largest, relative int) {
	t := newTally(c, at)
	for i, a := range x {
		if b := y[i]; a != b {
			o.integer(&t, i, a < b, max(a, b)-min(a, b), float64(b))
		}
	}
	c.numbers += int64(len(x))
	return t.first, t.largest, t.relative
}

// integer records that the integers of item i differ.
func (o *Options) integer(t *tally, i int, less bool, apart uint64, magnitude float64) {
	distance := float64(apart)
	t.by(i, distance, magnitude)
	if less {
		t.c.sum -= distance
	} else {
		t.c.sum += distance
	}
	if !o.within(distance, magnitude) {
		t.differs(i)
	}
}

// dates compares dates and durations, which have no tolerances.
func (o *Options) dates(c *Counts, at int64, x, y []int64) (first, largest, relative int) {
	const nat = math.MinInt64
	t := newTally(c, at)
	for i, a := range x {
		switch b := y[i]; {
		case a == nat || b == nat:
			t.unlike(i, a == b, o)
		case a != b:
			t.differs(i)
		}
	}
	return t.first, t.largest, t.relative
}
