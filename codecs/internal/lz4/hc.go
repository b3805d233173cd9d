package lz4

// An HCEncoder makes LZ4 blocks that are smaller than an [Encoder]'s and take longer: it looks at
// several earlier positions and weighs matches that overlap. It may be used for any number of
// blocks, by one goroutine at a time; the bytes it makes depend on the source and the level alone.
type HCEncoder struct {
	level  int
	chains chains
	w      writer
	on     bool       // whether there is a dictionary
	dict   *learnedHC // memory for one; nil before the first
}

// depths is how many earlier positions a search looks at, by level. Levels 1 and 2 look at two, by
// hashes of different lengths.
var depths = [13]int{3: 4, 4: 8, 5: 16, 6: 32, 7: 64, 8: 128, 9: 256, 10: 512, 11: 1024, 12: 4096}

// NewHCEncoder returns an encoder for a level from 1 to 12; other levels mean the nearest.
func NewHCEncoder(level int) *HCEncoder {
	level = min(max(level, 1), 12)
	e := &HCEncoder{level: level}
	e.chains.depth = depths[level]
	return e
}

// Encode compresses src into dst and returns the length of the block, or 0 if it does not fit into
// dst, or if src is longer than 2,113,929,216 bytes. It allocates nothing, but with a dictionary
// memory for the longest source so far.
func (e *HCEncoder) Encode(dst, src []byte) int {
	if len(src) > maxSource {
		return 0
	}
	if len(src) < shortest {
		return putEnd(dst, 0, src)
	}
	from := e.begin(src)
	e.w = writer{dst: dst, src: e.chains.src, anchor: from}
	if e.level < 3 {
		e.parseMid()
	} else {
		e.parse()
	}
	w := e.w
	e.w = writer{}
	if e.on {
		e.forget()
	}
	if w.out < 0 {
		return 0
	}
	return putEnd(dst, w.out, src[w.anchor-from:])
}

// A writer puts matches into a block, with the literals between them.
type writer struct {
	dst, src []byte
	out      int // -1 if it does not fit
	anchor   int // the source before it has been written
}

func (w *writer) put(m match) {
	if w.out >= 0 {
		w.out = putSequence(w.dst, w.out, w.src[w.anchor:m.start], m.distance, m.length)
		w.anchor = m.end()
	}
}

// Overlapping matches are looked for in a second way from this depth on, unless the first way found
// one that is much longer.
const (
	twoWays    = 8
	muchLonger = 16
)

// Where nothing matches the search takes a longer step after so many bytes.
const searchPatience = 7

// parse looks for matches from the start to the end.
func (e *HCEncoder) parse() {
	c, w := &e.chains, &e.w
	for pos, limit := max(w.anchor, 1), len(c.src)-endMatch; pos <= limit && w.out >= 0; {
		first := c.startingAt(pos)
		if first.length == 0 {
			pos += 1 + (pos-w.anchor)>>searchPatience
			continue
		}
		pos = e.weigh(first, limit)
	}
}

// weigh writes a match, or what is better than it, and returns where to go on.
//
// A greedy choice is often wrong where a match ends, because a better one may start within it. So
// as long as the last match that is known is overlapped by a better one, that is kept too; there
// are at most three, of which each goes beyond the one before and leaves something of it. The first
// is written when the third shows what becomes of the second.
func (e *HCEncoder) weigh(first match, limit int) int {
	for e.w.out >= 0 {
		second := e.chains.overlapping(first, limit)
		if second.length == 0 {
			break
		}
		if second.start < first.start+minMatch { // too little is left of the first
			first = second
			continue
		}
		var alone bool
		if first, alone = e.weighTwo(first, second, limit); alone {
			break
		}
	}
	e.w.put(first)
	return first.end()
}

// weighTwo goes on with two matches until one of them is left, and returns that. It reports whether
// nothing better overlaps it.
func (e *HCEncoder) weighTwo(first, second match, limit int) (m match, alone bool) {
	for e.w.out >= 0 {
		third := e.chains.overlapping(second, limit)
		switch {
		case third.length == 0:
			first, second = share(first, second, limit)
			e.w.put(first)
			return second, true
		case third.start >= first.end()+minMatch: // room for all three
			first, second = share(first, second, limit)
			e.w.put(first)
			first, second = second, third
		case third.start >= first.end(): // no room for the second
			e.w.put(first)
			return third, false
		default:
			second = third
		}
	}
	return second, true
}

// overlapping returns what of two matches is worth more after m: the longest that covers the third
// byte from its end and is longer, or the longest that starts right behind it, extended backwards
// into it. Without depth it is the former. Its length is 0 if neither is worth what it takes, or m
// may be written.
func (c *chains) overlapping(m match, limit int) match {
	if m.end()-3 > limit {
		return match{}
	}
	longer := c.longest(m.end()-3, m.start, m.length)
	if m.end() > limit || c.depth < twoWays || longer.length >= m.length+muchLonger || longer.length > 0 && longer.start == m.start {
		return longer
	}
	behind := c.startingAt(m.end())
	if behind.length == 0 {
		return longer
	}
	if behind = c.extend(behind.start, m.start, behind.distance); behind.worthAfter(m) > longer.worthAfter(m) {
		return behind
	}
	return longer
}

// startingAt returns the longest match at pos and no earlier, and keeps it: where nothing comes of
// it, the search goes on from there.
func (c *chains) startingAt(pos int) match {
	if c.keptPos != pos {
		c.keptPos, c.kept = pos, c.longest(pos, pos, minMatch-1)
	}
	return c.kept
}

// worthAfter is what a match saves after another, in half bytes. Bytes that it goes beyond the
// other are worth a half each. It takes three bytes, or if so little is left of the other that it
// replaces that, one for each that becomes a literal.
func (m match) worthAfter(other match) int {
	if m.length == 0 {
		return 0
	}
	return m.end() - other.end() - 2*min(m.start-other.start, 3)
}

// share ends the first of two matches where the second starts. Where they overlap, it cuts so that
// their lengths take the fewest bytes, and that the second does not start beyond limit, where no
// match may.
func share(first, second match, limit int) (match, match) {
	end := second.end()
	if second.start >= first.end() {
		return first, second
	}
	const short = nibbleMax + minMatch - 1 // the longest match whose length takes no byte
	low, high := second.start, min(first.end(), end-minMatch, limit)
	best, least := low, 1<<30
	for _, cut := range [...]int{high, first.start + short, end - short, low} {
		cut = min(max(cut, low), high)
		if cost := extension(cut-first.start-minMatch) + extension(end-cut-minMatch); cost < least {
			best, least = cut, cost
		}
	}
	first.length = best - first.start
	second.start, second.length = best, end-best
	return first, second
}
