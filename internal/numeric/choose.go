package numeric

import (
	"math"
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn/internal/asm/bins"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// sampled is how many items choices are made by.
const sampled = 384

// A chooser chooses how the items of a block are encoded, by a sample.
type chooser[L pcodec.Latent] struct {
	places  []int // of the sample
	backs   []int // of the corners: how far before
	corners []L   // the items of the sample, then those before them that differences use
	whole   []L   // integers of corners
	adjust  []L   // what they are more than what integers make
	odd     []int32
	bad     []bool
	values  []L // the items of the sample that are not special
	special []L
	axes    []int
	finder  finder
	counts  [65]uint32
	float   bool    // items are likely to be floating-point numbers
	each    float64 // bits that an item takes, about
}

// choose completes the header and returns the special items.
func (c *chooser[L]) choose(h *header, items []L) []L {
	h.plain()
	h.first = uint64(items[0])
	c.axes = c.axes[:0]
	for a, n := range h.used {
		if n > 1 {
			c.axes = append(c.axes, a)
		}
	}
	c.sample(h.used, items)
	c.values = append(c.values[:0], c.corners[:len(c.places)]...)
	c.float = c.looksFloat()
	c.findSpecial()

	least := math.Inf(1)
	best := *h
	for _, t := range c.modes(h) {
		passes, size := c.rate(&t)
		if t.mode == multiples {
			size = c.surely(&t, size)
		}
		if size < least {
			least = size
			best = t
			best.passes = passes
		}
	}

	c.each = min(least/float64(max(1, len(c.places))), float64(widthOf[L]()))
	h.mode = best.mode
	h.step = best.step
	h.shift = best.shift
	h.places = best.places
	h.multiple = best.multiple
	h.passes = append(h.passes[:0], best.passes...)
	h.first = uint64(c.firstOf(h, items))
	return c.special
}

// firstOf returns what integers are relative to.
func (c *chooser[L]) firstOf(h *header, items []L) L {
	// A special item is far from the others.
	x := items[0]
	if slices.Contains(c.special, x) && len(c.values) > 0 {
		x = c.values[0]
	}
	switch h.mode {
	case floats:
		return ordered(x, h.shift)
	case decimals:
		k, _ := wholeOf(x, h.places)
		return k
	case multiples:
		var k, rest [1]L
		toMultiples(&h.multiple, k[:], rest[:], []L{x}, 0, nil)
		return k[0]
	}

	if len(h.passes) == 1 && len(h.used) == 1 && len(c.special) == 0 {
		// The first difference is as the next one, so that all of a counter are equal.
		return x - (items[1] - x)
	}
	return x
}

// sample takes items with their neighbors along all axes.
func (c *chooser[L]) sample(used []int, items []L) {
	n := len(items)
	c.places = c.places[:0]
	step := max(1, n/sampled)
	if len(c.axes) > 3 {
		step *= len(c.axes) - 2
	}
	seed := uint32(1)
	for i := 0; i < n; i += step {
		seed = seed*1664525 + 1013904223
		at := i + int(uint64(seed)*uint64(step)>>32)
		if at >= n {
			break
		}
		c.places = append(c.places, at)
	}

	// The item, and those before it along some axes, which differences along these use.
	kept := c.places[:0]
	c.backs = append(c.backs[:0], 0)
	for _, a := range c.axes {
		stride := count(used[a+1:])
		for _, back := range c.backs {
			c.backs = append(c.backs, back+stride)
		}
	}
	for _, at := range c.places {
		for i, a := range c.axes {
			if stride := c.backs[1<<i]; at/stride%used[a] == 0 {
				at += stride
			}
		}
		kept = append(kept, at)
	}

	c.places = kept
	c.corners = c.corners[:0]
	for _, back := range c.backs {
		for _, at := range c.places {
			c.corners = append(c.corners, items[at-back])
		}
	}
	if len(c.axes) == 1 {
		for _, at := range c.places {
			c.corners = append(c.corners, items[max(0, at-2)])
		}
	}
}

// looksFloat reports whether items may be floating-point numbers: small integers would be very
// small numbers, or none.
func (c *chooser[L]) looksFloat() bool {
	width := widthOf[L]()
	exponents := map[uint]uint{16: 5, 32: 8, 64: 11}[width]
	if exponents == 0 {
		return false
	}

	most := L(1)<<exponents - 1
	good := 0
	bad := 0
	for _, x := range c.values {
		exponent := x >> (width - 1 - exponents) & most
		switch {
		case x<<1 == 0:
		case exponent == 0 || exponent == most && x<<(exponents+1) != 0 && x<<(exponents+2) != 0:
			bad++
		default:
			good++
		}
	}
	return good > bad
}

// order returns the latent by which an item is compared with others.
func (c *chooser[L]) order(x L) L {
	if c.float {
		return ordered(x, 0)
	}
	return x ^ middle[L]()
}

// findSpecial finds items at the ends of the range of all that are far from the others.
func (c *chooser[L]) findSpecial() {
	c.special = c.special[:0]
	for len(c.special) < maxSpecial/4 {
		n := len(c.values)
		if n < 8 {
			return
		}
		e := c.ends()
		if e.low == e.high {
			return
		}

		// The gap below the highest, and above the lowest, and what is between.
		found := L(0)
		switch {
		case far(e.high-e.below, e.below-e.low, e.highest, n) || c.beyond(e.high, e.below, e.low, e.highest, n):
			found = c.itemOf(e.high)
		case far(e.above-e.low, e.high-e.above, e.lowest, n) || c.beyond(e.low, e.above, e.high, e.lowest, n):
			found = c.itemOf(e.low)
		default:
			return
		}
		c.special = append(c.special, found)
		c.values = slices.DeleteFunc(c.values, func(x L) bool { return x == found })
	}
}

// ends are the ends of the range of all items, and those next to them.
type ends[L pcodec.Latent] struct {
	low, above, below, high L
	lowest, highest         int // how many there are
}

func (c *chooser[L]) ends() ends[L] {
	first := c.order(c.values[0])
	e := ends[L]{low: first, high: first}
	e.above = ^L(0)
	e.below = 0

	for _, x := range c.values {
		l := c.order(x)
		switch {
		case l < e.low:
			e.above = e.low
			e.low = l
			e.lowest = 0
		case l > e.low && l < e.above:
			e.above = l
		}

		switch {
		case l > e.high:
			e.below = e.high
			e.high = l
			e.highest = 0
		case l < e.high && l > e.below:
			e.below = l
		}

		if l == e.low {
			e.lowest++
		}
		if l == e.high {
			e.highest++
		}
	}
	return e
}

func (c *chooser[L]) itemOf(l L) L {
	if c.float {
		return unordered(l, 0)
	}
	return l ^ middle[L]()
}

// beyond is far by the values of floating-point numbers, for an end, the item beside it and that at
// the other end. By their bits, those around zero have nearly all other numbers among them.
func (c *chooser[L]) beyond(end, next, other L, some, n int) bool {
	if !c.float {
		return false
	}
	gap := math.Abs(c.valueOf(end) - c.valueOf(next))
	rest := math.Abs(c.valueOf(next) - c.valueOf(other))
	switch {
	case some*50 > n:
		return gap > 16*rest
	case some > 1:
		return gap > 64*rest
	}
	return gap > 4096*rest
}

// valueOf returns the floating-point number of a latent, of 4 or 8 bytes.
func (c *chooser[L]) valueOf(l L) float64 {
	switch item := c.itemOf(l); widthOf[L]() {
	case 32:
		return float64(math.Float32frombits(uint32(item)))
	case 64:
		return math.Float64frombits(uint64(item))
	}
	return math.NaN()
}

// modes returns headers with the modes that the sample suggests.
func (c *chooser[L]) modes(h *header) []header {
	var all []header
	add := func(m mode) *header {
		t := *h
		t.mode = m
		all = append(all, t)
		return &all[len(all)-1]
	}

	// Positive floating-point numbers are in the order of their bits.
	negative := slices.ContainsFunc(c.values, func(x L) bool { return x >= middle[L]() })
	if !c.float || !negative || widthOf[L]() == 16 {
		add(integers).step = c.commonStep(L(h.first))
	}
	if c.float && negative {
		add(floats).shift = c.lowZeros()
	}
	if c.float {
		places, ok := c.decimalPlaces()
		if ok {
			add(decimals).places = places
		}
		if m, ok := c.multiple(places, ok); ok {
			add(multiples).multiple = m
		}
	}
	return all
}

// lowZeros returns how many low bits are zero in all items of the sample.
func (c *chooser[L]) lowZeros() uint {
	set := L(0)
	for _, x := range c.values {
		set |= x
	}
	return uint(bits.TrailingZeros64(uint64(set))) % widthOf[L]()
}

// commonStep returns the greatest common divisor of differences from an item.
func (c *chooser[L]) commonStep(from L) uint64 {
	if slices.Contains(c.special, from) && len(c.values) > 0 {
		from = c.values[0]
	}
	step := uint64(0)
	for _, x := range c.values {
		d := signed(x - from)
		if d < 0 {
			d = -d
		}
		for other := uint64(d); other != 0; {
			step, other = other, step%other
		}
		if step == 1 {
			return 1
		}
	}
	return max(1, step)
}

// rate returns the axes along which differences take fewest bits, and how many, about.
func (c *chooser[L]) rate(h *header) ([]int, float64) {
	n := c.wholeCorners(h)
	if n == 0 {
		return nil, math.MaxFloat64
	}
	adjustment := int64(0)
	if h.adjusted() {
		adjustment = c.bits(c.adjust[:len(c.places)])
	}

	corners := len(c.backs)
	if len(c.axes) == 1 {
		// Differences of differences.
		whole := c.whole[:3*n]
		for i := range n {
			whole[2*n+i] += whole[i] - 2*whole[n+i]
		}
	}
	for a := range c.axes {
		for set := range corners {
			if bit := 1 << a; set&bit != 0 {
				subtract(c.whole[set*n:][:n], c.whole[(set-bit)*n:][:n])
			}
		}
	}

	best := 0
	least := int64(math.MaxInt64)
	for set := range len(c.whole) / n {
		if size := c.bits(c.whole[set*n:][:n]); size < least {
			least = size
			best = set
		}
	}

	var passes []int
	if best == corners {
		passes = []int{c.axes[0], c.axes[0]}
	}
	for a, axis := range c.axes {
		if best < corners && best>>a&1 != 0 {
			passes = append(passes, axis)
		}
	}
	return passes, float64(least+adjustment) / pcodec.Bit
}

// wholeCorners makes integers of the corners, without those of which one has none, and returns how
// many there are of each.
func (c *chooser[L]) wholeCorners(h *header) int {
	n := len(c.places)
	c.whole = sized(c.whole, len(c.corners))
	t := *h
	t.first = uint64(c.firstOf(h, c.corners))
	c.adjust = sized(c.adjust, len(c.corners))
	c.odd = toWhole(&t, c.whole, c.adjust, c.corners, c.odd[:0])
	if len(c.special) > 0 {
		for i, x := range c.corners {
			if isAny(x, c.special) {
				c.odd = append(c.odd, int32(i))
			}
		}
	}
	if len(c.odd) == 0 {
		return n
	}

	c.bad = sized(c.bad, n)
	clear(c.bad)
	for _, i := range c.odd {
		c.bad[int(i)%n] = true
	}
	to := c.whole[:0]
	for at := 0; at < len(c.whole); at += n {
		for i, k := range c.whole[at : at+n] {
			if !c.bad[i] {
				to = append(to, k)
			}
		}
	}
	c.whole = to
	return len(to) / (len(c.corners) / n)
}

// bits returns the bits that differences take, about.
func (c *chooser[L]) bits(differences []L) int64 {
	if len(c.axes) == 1 && allEqual(differences) {
		return 0
	}
	clear(c.counts[:])
	mid := middle[L]()
	size := int64(0)
	for _, d := range differences {
		length := bins.LengthOf(d ^ mid)
		c.counts[length&63]++
		size += int64(length)
	}
	return size<<16 + pcodec.Entropy(c.counts[:])
}
