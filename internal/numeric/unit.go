package numeric

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// A near is a number that is known but for an error.
type near struct{ is, off float64 }

// A finder finds numbers of which others are multiples.
type finder struct {
	numbers []float64 // of the sample
	steps   []near    // of these
	values  []near
	last    float64 // the unit of the last place of the largest
	precise bool    // whether numbers have double precision
}

const (
	fewSteps   = 48  // of numbers, which a unit is found by
	leastSteps = 8   // which must be multiples
	noise      = 6   // by how many last places of the largest calculated numbers may be wrong
	leastUnit  = 2.5 // how many times as large as an error a unit is, at least
)

// decimalPlaces returns how many decimal places all items of the sample have, but a few.
func (c *chooser[L]) decimalPlaces() (int, bool) {
	most := map[uint]int{32: 6, 64: 12}[widthOf[L]()]
	if most == 0 {
		return 0, false
	}

	for places := -6; places <= most; places++ {
		if c.havePlaces(places) {
			return places, true
		}
	}
	return 0, false
}

func (c *chooser[L]) havePlaces(places int) bool {
	bad := 0
	for i, x := range c.values {
		if _, ok := wholeOf(x, places); !ok {
			bad++
		}
		if bad > 1+i/64 {
			return false
		}
	}
	return true
}

// multiple returns of which multiples the items of the sample are, if they are. They may be known
// to have decimal places.
func (c *chooser[L]) multiple(places int, known bool) (multiple, bool) {
	width := widthOf[L]()
	if width < 32 || len(c.values) < 2*leastSteps {
		return multiple{}, false
	}

	m := multiple{offset: noOffset}
	c.finder.precise = width == 64
	if width == 64 && c.lowZeros() >= singleLack {
		m.making |= single
		c.finder.precise = false
	}
	c.takeNumbers()
	if known && math.Pow10(-places) > 4*leastUnit*c.finder.last {
		return c.decimalMultiple(places)
	}

	// Any number has so many decimal places that it has no more of them.
	var units [2]near
	var found [2]bool
	for i, noise := range []float64{0, noise} {
		units[i], found[i] = c.finder.unit(noise)
		if !found[i] {
			continue
		}
		if exact, ok := c.finder.refine(units[i], 0, noise); ok {
			return c.best(m, exact)
		}
	}
	if !found[0] {
		return m, false
	}
	unit := units[0]

	// From the item in the middle on, whose error is in the mean of all.
	from := c.finder.numbers[len(c.finder.numbers)/2]
	exact, ok := c.finder.refine(unit, from, 0)
	if !ok {
		return m, false
	}
	m.making |= moved
	m.offset = c.finder.offset(exact.is, from)
	return c.best(m, exact)
}

// unit returns the number of which differences of the sample are multiples, nearly.
func (f *finder) unit(noise float64) (near, bool) {
	f.takeSteps(noise)
	if unit, ok := decimalUnit(f.steps); ok {
		return unit, true
	}
	return commonUnit(f.steps)
}

// decimalMultiple returns a multiple of a decimal, if all of the sample are that, or from one on.
func (c *chooser[L]) decimalMultiple(places int) (multiple, bool) {
	gcd := uint64(0)
	from := int64(0)
	found := false
	for _, x := range c.values {
		k, ok := wholeOf(x, places)
		if !ok {
			continue
		}
		if !found {
			from = signed(k)
			found = true
		}
		n := signed(k) - from
		if n < 0 {
			n = -n
		}
		for other := uint64(n); other != 0; {
			gcd, other = other, gcd%other
		}
		if gcd == 1 {
			return multiple{}, false
		}
	}
	if gcd == 0 || places < 0 {
		return multiple{}, false
	}

	m := multiple{offset: noOffset}
	if from%int64(gcd) != 0 {
		m.making |= moved
		m.offset = float64(from) / tens[places]
	}
	return c.best(m, near{is: float64(gcd) / tens[places]})
}

// takeNumbers takes the numbers of the sample, in their order.
func (c *chooser[L]) takeNumbers() {
	f := &c.finder
	f.numbers = f.numbers[:0]
	for _, x := range c.values {
		if number := floatOf(x); math.Abs(number) < math.MaxFloat64 {
			f.numbers = append(f.numbers, number)
		}
	}
	slices.Sort(f.numbers)
	f.last = 0
	if n := len(f.numbers); n > 0 {
		f.last = f.lastOf(max(-f.numbers[0], f.numbers[n-1]))
	}
}

// off returns by how much a number may be wrong.
func (f *finder) off(number, noise float64) float64 {
	return f.lastOf(math.Abs(number))/2 + float64(noise/2*f.last)
}

// lastOf returns the unit of the last place of a positive number.
func (f *finder) lastOf(number float64) float64 {
	if !f.precise {
		bits := math.Float32bits(float32(number))
		return float64(math.Float32frombits(bits+1) - math.Float32frombits(bits))
	}
	return math.Float64frombits(math.Float64bits(number)+1) - number
}

// takeSteps takes the smallest differences of numbers from the next ones.
func (f *finder) takeSteps(noise float64) {
	f.steps = f.steps[:0]
	a := near{math.Inf(1), 0}
	for _, number := range f.numbers {
		b := near{number, f.off(number, noise)}
		off := a.off + b.off
		if b.is-a.is > leastUnit*off {
			f.addStep(near{b.is - a.is, off})
		}
		a = b
	}
}

// addStep adds a step to the smallest ones, which are in order.
func (f *finder) addStep(step near) {
	at := len(f.steps)
	switch {
	case at < fewSteps:
		f.steps = append(f.steps, step)
	case step.is < f.steps[at-1].is:
		at--
	default:
		return
	}
	for ; at > 0 && f.steps[at-1].is > step.is; at-- {
		f.steps[at] = f.steps[at-1]
	}
	f.steps[at] = step
}

// decimalUnit returns the largest power of ten of which numbers are multiples, nearly.
func decimalUnit(numbers []near) (near, bool) {
	if len(numbers) < leastSteps {
		return near{}, false
	}
	for places := -3; places <= maxDecimal; places++ {
		unit := math.Pow10(-places)
		if unit < leastUnit*numbers[0].off {
			break
		}

		bad := 0
		for _, x := range numbers {
			if rest := x.is - float64(math.RoundToEven(x.is/unit)*unit); math.Abs(rest) > x.off {
				bad++
			}
			if bad > len(numbers)/16 {
				break
			}
		}
		if bad <= len(numbers)/16 {
			return near{is: unit * common(numbers, unit)}, true
		}
	}
	return near{}, false
}

// common returns the number of units of which most numbers are multiples.
func common(numbers []near, unit float64) float64 {
	gcd := uint64(0)
	for _, x := range numbers {
		k := math.RoundToEven(x.is / unit)
		if math.Abs(x.is-float64(k*unit)) > x.off || k >= 1<<53 {
			continue
		}
		for other := uint64(k); other != 0; {
			gcd, other = other, gcd%other
		}
	}
	return float64(max(1, gcd))
}

// commonUnit returns the number of which others are multiples, nearly: by Euclid's algorithm, from
// the smallest on, by which the number becomes known so well that it divides larger ones.
func commonUnit(numbers []near) (near, bool) {
	if len(numbers) == 0 {
		return near{}, false
	}

	unit := numbers[0]
	sure := 0
	for _, x := range numbers[1:] {
		for {
			k := math.RoundToEven(x.is / unit.is)
			rest := math.Abs(x.is - float64(k*unit.is))
			off := x.off + float64(k*unit.off)
			if off > unit.is/4 {
				// It cannot be said whether it is.
				break
			}

			if rest <= off {
				sure++
				if k > 0 && x.off < k*unit.off {
					unit = near{x.is / k, x.off / k}
				}
				break
			}

			x, unit = unit, near{rest, off}
			sure = 0
			if unit.is < leastUnit*unit.off {
				return near{}, false
			}
		}
	}
	return unit, sure >= leastSteps && sure*2 > len(numbers)
}

// refine returns a unit more exactly, of which items are multiples from a number on.
func (f *finder) refine(unit near, from, noise float64) (near, bool) {
	f.values = f.values[:0]
	for _, x := range f.numbers {
		off := f.off(x, noise)
		if from != 0 {
			off += f.off(from, noise)
		}
		f.values = append(f.values, near{math.Abs(x - from), off})
	}
	slices.SortFunc(f.values, func(a, b near) int { return cmp.Compare(a.is, b.is) })

	low := unit.is - unit.off
	high := unit.is + unit.off
	bad := 0
	for _, x := range f.values {
		k := math.RoundToEven(x.is / (low/2 + high/2))
		if k == 0 && x.is <= x.off {
			continue
		}
		less := (x.is - x.off) / k
		more := (x.is + x.off) / k
		if k == 0 || k*(high-low) > unit.is || less > high || more < low {
			bad++
			continue
		}
		low = max(low, less)
		high = min(high, more)
	}
	return near{low/2 + high/2, (high - low) / 2}, bad*32 <= len(f.values)
}

// offset returns from where on items are multiples, near to a number: in the middle of what their
// rounding leaves.
func (f *finder) offset(scale, near float64) float64 {
	sum := 0.0
	n := 0
	for _, x := range f.numbers {
		d := x - near
		rest := d - float64(math.RoundToEven(d/scale)*scale)
		if math.Abs(rest) < scale/4 {
			sum += rest
			n++
		}
	}
	return near + sum/float64(max(1, n))
}

// best completes how multiples of a unit are made: by what it may be, in the shortest terms, of
// which most items of the sample are multiples.
func (c *chooser[L]) best(m multiple, unit near) (multiple, bool) {
	most := 0
	best := m
	try := func(scale float64, how making) {
		if most == len(c.values) {
			// None is better.
			return
		}
		t := m
		t.scale = scale
		t.making |= how
		if n := c.exact(&t); n > most {
			most = n
			best = t
		}
	}

	tiny := float64(unit.is * 0x1p-52)
	inverse := math.RoundToEven(1 / unit.is)
	if inverse >= 1 && inverse < 1<<53 && math.Abs(1/inverse-unit.is) <= unit.off+tiny {
		try(inverse, divided)
	}
	try(shortest(unit.is, unit.off+tiny), 0)
	for _, scale := range []float64{unit.is, float64(float32(unit.is)), unit.is + tiny, unit.is - tiny} {
		if math.Abs(scale-unit.is) <= unit.off+tiny {
			try(scale, 0)
		}
	}

	if n := len(c.values); n-most > 1+n/64 {
		best.making |= adjusted
	}
	return best, most > 0 && best.scale > 0 && !math.IsInf(best.scale, 1)
}

// shortest returns the number with fewest digits that is near to another.
func shortest(f, off float64) float64 {
	var digits [32]byte
	for n := range 17 {
		text := strconv.AppendFloat(digits[:0], f, 'e', n, 64)
		short, err := strconv.ParseFloat(string(text), 64)
		if err == nil && math.Abs(short-f) <= off {
			return short
		}
	}
	return f
}

// exact returns how many items of the sample are made exactly.
func (c *chooser[L]) exact(m *multiple) int {
	c.whole = sized(c.whole, len(c.values))
	c.odd = toMultiples(m, c.whole, nil, c.values, 0, c.odd[:0])
	return len(c.values) - len(c.odd)
}
