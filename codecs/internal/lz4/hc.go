package lz4

// An HCEncoder encodes LZ4 blocks that are smaller than those of an [Encoder] but take longer: it
// searches several earlier positions and chooses among overlapping matches. It may be reused, but
// not concurrently. The output depends only on the source and the level.
type HCEncoder struct {
	level  int
	chains chains
	w      writer
	on     bool       // whether there is a dictionary
	dict   *learnedHC // memory of the dictionary; nil before the first one
}

// depths is the number of earlier positions that a search compares, by level. Levels 1 and 2
// compare two, with hashes of different lengths.
var depths = [13]int{3: 4, 4: 8, 5: 16, 6: 32, 7: 64, 8: 128, 9: 256, 10: 512, 11: 1024, 12: 4096}

// NewHCEncoder returns an encoder for a level from 1 to 12; other levels are clamped.
func NewHCEncoder(level int) *HCEncoder {
	level = min(max(level, 1), 12)
	e := &HCEncoder{level: level}
	e.chains.depth = depths[level]
	return e
}

// Encode compresses src into dst and returns the length of the block, or 0 if it does not fit into
// dst or src is longer than 2,113,929,216 bytes. It does not allocate, except that with a
// dictionary it allocates memory for the longest source so far.
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

// A writer writes matches and the literals between them to a block.
type writer struct {
	dst, src []byte
	out      int // -1 if the block does not fit
	anchor   int // end of the part of the source that has been written
}

func (w *writer) put(m match) {
	if w.out >= 0 {
		w.out = putSequence(w.dst, w.out, w.src[w.anchor:m.start], m.distance, m.length)
		w.anchor = m.end()
	}
}

// From this depth on, a second search looks for overlapping matches, unless the first one found a
// much longer match.
const (
	twoWays    = 8
	muchLonger = 16
)

const (
	hurry      = 96      // growth of the step, in 4096ths, per position without a match
	noDistance = 1 << 30 // hardly ever a distance
)

// parse encodes the whole source.
func (e *HCEncoder) parse() {
	c := &e.chains
	w := &e.w

	step := 0
	for pos, limit := max(w.anchor, 1), len(c.src)-endMatch; pos <= limit && w.out >= 0; {
		first := c.startingAt(pos, c.depth)
		if first.length > 0 {
			pos = e.weigh(first, limit)
			step = 0
			continue
		}

		step++
		pos += 1 + step*hurry>>12
		if c.all.Next <= pos && pos <= limit {
			pos, step = c.skip(pos, step, limit)
		}
	}
}

// weigh writes a match or better ones instead, and returns where to continue.
//
// A greedy choice is often wrong about the end of a match, because a better match may start within
// it. So while a better match overlaps the last one found, that one is kept too. There are at most
// three, each of which ends after the previous one and leaves part of it. The first is written when
// the third determines the fate of the second.
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

// weighTwo continues with two matches until only one is left, and returns that. alone reports
// whether no better match overlaps it.
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
			first = second
			second = third
		case third.start >= first.end(): // no room for the second
			e.w.put(first)
			return third, false
		default:
			second = third
		}
	}
	return second, true
}

// overlapping returns the better of two matches after m: the longest one that covers the third byte
// before the end of m, and the longest one that starts at the end of m, extended backwards into it,
// for which it searches half as deep.
// With depth 0 it considers only the former. The length is 0 if neither is worthwhile, and m can be
// written.
func (c *chains) overlapping(m match, limit int) match {
	if m.end()-3 > limit {
		return match{}
	}

	c.enter(min(m.end(), limit) + 1) // for both searches
	longer := c.longest(m.end()-3, m.start, m.length, c.depth)
	if m.end() > limit || c.depth < twoWays || longer.length >= m.length+muchLonger || longer.length > 0 && longer.start == m.start {
		return longer
	}

	behind := c.startingAt(m.end(), c.depth/2)
	if behind.length == 0 {
		return longer
	}

	if behind = c.extend(behind.start, m.start, behind.distance); behind.worthAfter(m) > longer.worthAfter(m) {
		return behind
	}
	return longer
}

// startingAt returns the longest match that starts at pos, and keeps it in case the search
// continues there.
func (c *chains) startingAt(pos, depth int) match {
	if c.keptPos != pos {
		c.kept = c.longest(pos, pos, minMatch-1, depth)
		c.keptPos = pos
	}
	return c.kept
}

// worthAfter returns the saving of a match after another one, in half bytes. Each byte beyond the
// end of the other match saves a half. The cost is three bytes for the match or, if it replaces the
// other match because less than that is left of it, one for each byte that becomes a literal.
func (m match) worthAfter(other match) int {
	if m.length == 0 {
		return 0
	}
	return m.end() - other.end() - 2*min(m.start-other.start, 3)
}

// share ends the first of two matches at the start of the second. If they overlap, it cuts them so
// that their lengths take the fewest bytes and the second does not start beyond limit.
func share(first, second match, limit int) (match, match) {
	end := second.end()
	if second.start >= first.end() {
		return first, second
	}
	const short = nibbleMax + minMatch - 1 // the longest match without length bytes

	low := second.start
	high := min(first.end(), end-minMatch, limit)
	best := low
	least := 1 << 30
	for _, cut := range [...]int{high, first.start + short, end - short, low} {
		cut = min(max(cut, low), high)
		if cost := extension(cut-first.start-minMatch) + extension(end-cut-minMatch); cost < least {
			best = cut
			least = cost
		}
	}

	first.length = best - first.start
	second.start = best
	second.length = end - best
	return first, second
}
