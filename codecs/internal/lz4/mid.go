package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/lz4block"
)

// Halves of the table of heads, when the two lowest levels use it.
const (
	midBits  = headBits - 1
	longHalf = 1 << midBits

	hashFactorLong = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	// the same, for what the eighth byte does not count in
	hashFactorSeven = hashFactorLong << 8 & (1<<64 - 1)

	midPatience = 9 // as searchPatience
)

// hashPair returns the slots of the lower four bytes and of the lower seven bytes of a word.
func hashPair(word uint64) (short, long uint32) {
	return uint32(word) * hashFactor >> (32 - midBits), (longHalf | uint32(word*hashFactorSeven>>(64-midBits))) & (1<<headBits - 1)
}

// parseMid is parse for levels 1 and 2. It looks at two earlier positions: the last one of the same
// seven bytes, then the last of the same four; and where only the latter matches, at the next
// position's seven bytes too.
func (e *HCEncoder) parseMid() {
	c, w := &e.chains, &e.w
	limit := len(c.src) - endMatch
	start := max(w.anchor, 1)
	k := lz4block.Cursor{Anchor: w.anchor, Pos: start, Step: start}
	lz4block.EncodeMid(&k, &c.heads, w.dst, c.src, limit, c.base)
	w.out, w.anchor = k.Out, k.Anchor
	pos, at := k.Pos, k.Match
	start = k.Step
	for stage := k.Stage; w.out >= 0; {
		if stage == lz4block.Searching {
			four := false
			if pos, at, four = c.findMid(start, pos, limit); pos > limit {
				break
			}
			if pos < limit {
				pos, at = c.nextMid(pos, at, four)
			}
		}
		if stage != lz4block.Matched {
			m := c.extend(pos, w.anchor, pos-at)
			w.put(m)
			pos = m.end()
		}
		c.enterBehind(pos, limit)
		start, stage = pos, lz4block.Searching
	}
}

// findMid returns the first position from pos on, in a search from start, where four bytes are the
// same as at an earlier one, that one, and whether four is all that is known of. If there is none
// it returns a position beyond limit.
func (c *chains) findMid(start, pos, limit int) (found, at int, four bool) {
	src, heads, base := c.src, &c.heads, c.base
	for ; pos <= limit; pos += 1 + (pos-start)>>midPatience {
		word := binary.LittleEndian.Uint64(src[pos:])
		short, long := hashPair(word)
		// negative: of an earlier source
		at8, at4 := int(int32(heads[long]-base)), int(int32(heads[short]-base))
		heads[long], heads[short] = base+uint32(pos), base+uint32(pos)
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

// nextMid enters the seven bytes of the position after a match. If only four bytes of that are
// known to be the same, it returns instead the match of this next position with the last one of the
// same seven bytes, if they are.
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

// enterBehind puts the last position but one before end into both halves, if it is within limit. A
// match of at least four bytes ends there.
func (c *chains) enterBehind(end, limit int) {
	if at := end - 2; at <= limit {
		short, long := hashPair(binary.LittleEndian.Uint64(c.src[at:]))
		c.heads[short], c.heads[long] = c.base+uint32(at), c.base+uint32(at)
	}
}
