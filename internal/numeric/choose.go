package numeric

import (
	"math"
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn/internal/pcodec"
)

// sampled is how many items choices are made by.
const sampled = 512

// A chooser chooses how the items of a block are encoded, by a sample.
type chooser[L pcodec.Latent] struct {
	places  []int // of the sample
	corners []L   // of each: the items that differences along all axes use, and the one before that
	values  []L   // the items of the sample
	sorted  []L
	special []L
	axes    []int
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
	c.float = c.looksFloat()
	c.findSpecial()

	least := math.Inf(1)
	best := *h
	for _, t := range c.modes(h) {
		passes, size := c.rate(&t)
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

	strides := make([]int, len(c.axes))
	for i, a := range c.axes {
		strides[i] = count(used[a+1:])
	}
	corners := 1 << len(c.axes)
	c.corners = c.corners[:0]
	kept := c.places[:0]
	for _, at := range c.places {
		for i, a := range c.axes {
			if at/strides[i]%used[a] == 0 {
				at += strides[i]
			}
		}
		kept = append(kept, at)
		for set := range corners {
			back := 0
			for i := range c.axes {
				if set>>i&1 != 0 {
					back += strides[i]
				}
			}
			c.corners = append(c.corners, items[at-back])
		}
		// Of a sequence, the item two before is wanted, too.
		c.corners = append(c.corners, items[max(0, at-2)])
	}
	c.places = kept

	c.values = c.values[:0]
	for i := 0; i < len(c.corners); i += corners + 1 {
		c.values = append(c.values, c.corners[i])
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
	c.sorted = c.sorted[:0]
	for _, x := range c.values {
		c.sorted = append(c.sorted, c.order(x))
	}
	slices.Sort(c.sorted)

	for len(c.special) < maxSpecial/4 {
		s := c.sorted
		n := len(s)
		if n < 8 {
			break
		}
		low := lowest(s)
		high := highest(s)
		if low == n || high == 0 {
			break
		}

		// The gap below the highest, and above the lowest, and what is between.
		above := s[high] - s[high-1]
		below := s[low] - s[low-1]
		switch {
		case far(above, s[high-1]-s[0], n-high, n) || c.beyond(s[n-1], s[high-1], s[0], n-high, n):
			c.special = append(c.special, c.itemOf(s[n-1]))
			c.sorted = s[:high]
		case far(below, s[n-1]-s[low], low, n) || c.beyond(s[0], s[low], s[n-1], low, n):
			c.special = append(c.special, c.itemOf(s[0]))
			c.sorted = s[low:]
		default:
			s = nil
		}
		if s == nil {
			break
		}
	}
	c.values = slices.DeleteFunc(c.values, func(x L) bool { return slices.Contains(c.special, x) })
}

func (c *chooser[L]) itemOf(l L) L {
	if c.float {
		return unordered(l, 0)
	}
	return l ^ middle[L]()
}

// far reports whether a gap between some equal items of n and the range of the others is so large
// that they should be coded apart.
func far[L pcodec.Latent](gap, rest L, some, n int) bool {
	switch {
	case gap < 16:
		return false
	case some*50 > n:
		return gap > rest/4
	case some > 1:
		return gap > rest
	}
	return gap/4 > rest
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

// lowest returns how many items are equal to the first one.
func lowest[L pcodec.Latent](sorted []L) int {
	n := 1
	for n < len(sorted) && sorted[n] == sorted[0] {
		n++
	}
	return n
}

// highest returns the index of the first item that is equal to the last one.
func highest[L pcodec.Latent](sorted []L) int {
	i := len(sorted) - 1
	for i > 0 && sorted[i-1] == sorted[len(sorted)-1] {
		i--
	}
	return i
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
		if places, ok := c.decimalPlaces(); ok {
			add(decimals).places = places
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

// rate returns the axes along which differences take fewest bits, and how many, about.
func (c *chooser[L]) rate(h *header) ([]int, float64) {
	corners := 1 << len(c.axes)
	group := corners + 1
	counts := make([][65]int, corners+1)
	var whole [1<<maxAxes + 1]L
	low := L(1)<<h.shift - 1
	step := int64(h.step)
	mid := middle[L]()
	first := c.firstOf(h, c.corners)

	used := 0
	for i := 0; i < len(c.corners); i += group {
		ok := true
		for j, x := range c.corners[i : i+group] {
			ok = ok && !slices.Contains(c.special, x)
			switch h.mode {
			case integers:
				whole[j] = L(signed(x-first) / step)
			case floats:
				ok = ok && x&low == 0
				whole[j] = ordered(x, h.shift) - first
			case decimals:
				k, exact := wholeOf(x, h.places)
				ok = ok && exact
				whole[j] = k - first
			}
		}
		if !ok {
			continue
		}

		used++
		if len(c.axes) == 1 {
			counts[corners][lengthOf((whole[0]-2*whole[1]+whole[2])^mid)]++
		}
		for a := range c.axes {
			for set := range corners {
				if set>>a&1 != 0 {
					whole[set] = whole[set&^(1<<a)] - whole[set]
				}
			}
		}
		for set := range corners {
			counts[set][lengthOf(whole[set]^mid)]++
		}
	}
	if used == 0 {
		return nil, math.MaxFloat64
	}
	return c.cheapest(counts, corners)
}

// cheapest returns the axes of the cheapest set, and its bits.
func (c *chooser[L]) cheapest(counts [][65]int, corners int) ([]int, float64) {
	best := 0
	least := math.Inf(1)
	for set := range counts {
		if set == corners && len(c.axes) != 1 {
			break
		}
		size := entropy(counts[set][:])
		for length, n := range counts[set] {
			size += float64(length * n)
		}
		if size < least {
			least = size
			best = set
		}
	}

	var passes []int
	for a, axis := range c.axes {
		if best < corners && best>>a&1 != 0 {
			passes = append(passes, axis)
		}
	}
	if best == corners {
		passes = append(passes, c.axes[0], c.axes[0])
	}
	return passes, least
}

// entropy returns the bits of symbols that occur so many times.
func entropy(counts []int) float64 {
	total := 0
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			total += n
			bits -= float64(n) * math.Log2(float64(n))
		}
	}
	if total == 0 {
		return 0
	}
	return bits + float64(total)*math.Log2(float64(total))
}
