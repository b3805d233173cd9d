package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/lz"
)

// The two halves of the table of heads at the two lowest levels.
const (
	midBits  = headBits - 1
	longHalf = 1 << midBits

	hashFactorLong = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	// the same for seven bytes: shifted so that the eighth has no effect
	hashFactorSeven = hashFactorLong << 8 & (1<<64 - 1)

	midPatience = 9 // like searchPatience
)

// hashPair returns the slots of the lower four and the lower seven bytes of a word.
func hashPair(word uint64) (short, long uint32) {
	return uint32(word) * hashFactor >> (32 - midBits), (longHalf | uint32(word*hashFactorSeven>>(64-midBits))) & (1<<headBits - 1)
}

// parseMid is parse for levels 1 and 2. It compares two earlier positions: the last one of the same
// seven bytes, then the last one of the same four bytes. If only the latter matches, it also
// compares the next position by seven bytes.
func (e *HCEncoder) parseMid() {
	c := &e.chains
	w := &e.w
	limit := len(c.src) - endMatch
	start := max(w.anchor, 1)

	k := lz.Cursor{Anchor: w.anchor, Pos: start, Step: start}
	lz.EncodeMid(&k, &c.heads, w.dst, c.src, limit, c.base)
	w.out = k.Out
	w.anchor = k.Anchor
	pos := k.Pos
	at := k.Match
	start = k.Step

	for stage := k.Stage; w.out >= 0; {
		if stage == lz.Searching {
			four := false
			if pos, at, four = c.findMid(start, pos, limit); pos > limit {
				break
			}
			if pos < limit {
				pos, at = c.nextMid(pos, at, four)
			}
		}

		if stage != lz.Matched {
			m := c.extend(pos, w.anchor, pos-at)
			w.put(m)
			pos = m.end()
		}

		c.enterBehind(pos, limit)
		start = pos
		stage = lz.Searching
	}
}

// findMid finds the first position from pos on whose first four bytes equal those at an earlier
// position at. start is the start of the search. four reports that only four bytes are known to be
// equal. If there is no such position, found is beyond limit.
func (c *chains) findMid(start, pos, limit int) (found, at int, four bool) {
	src := c.src
	heads := &c.heads
	base := c.base
	for ; pos <= limit; pos += 1 + (pos-start)>>midPatience {
		word := binary.LittleEndian.Uint64(src[pos:])
		short, long := hashPair(word)
		// negative if from an earlier source
		at8 := int(int32(heads[long] - base))
		at4 := int(int32(heads[short] - base))
		heads[long] = base + uint32(pos)
		heads[short] = base + uint32(pos)

		oldest := max(0, pos-maxDistance)
		if at8 >= oldest && binary.LittleEndian.Uint32(src[at8:]) == uint32(word) {
			return pos, at8, false
		}
		if at4 >= oldest && binary.LittleEndian.Uint32(src[at4:]) == uint32(word) {
			return pos, at4, true
		}
	}
	return pos, 0, false
}

// nextMid inserts the position after a match by seven bytes. If only four bytes of the match are
// known to be equal, it returns the match at that next position by seven bytes, if there is one.
func (c *chains) nextMid(pos, at int, four bool) (int, int) {
	next := pos + 1
	word := binary.LittleEndian.Uint64(c.src[next:])
	_, long := hashPair(word)
	last := int(int32(c.heads[long] - c.base))
	c.heads[long] = c.base + uint32(next)

	if !four || last < max(0, next-maxDistance) || (binary.LittleEndian.Uint64(c.src[last:])^word)<<8 != 0 {
		return pos, at
	}
	return next, last
}

// enterBehind inserts the position end-2 into both halves if it is within limit. A match of at
// least four bytes ends at end.
func (c *chains) enterBehind(end, limit int) {
	if at := end - 2; at <= limit {
		short, long := hashPair(binary.LittleEndian.Uint64(c.src[at:]))
		here := c.base + uint32(at)
		c.heads[short] = here
		c.heads[long] = here
	}
}
