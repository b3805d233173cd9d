package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/lz4block"
)

// A position is an entry of a table: 16 bits in the near one, 32 bits in the far one.
type position interface{ uint16 | uint32 }

// slotOf returns the slot of the first bytes of a word: by four bytes in the near table, by five in the far one.
func slotOf[P position](word uint64) int {
	if ^P(0) == maxDistance {
		return int(uint32(word) * hashFactor >> (32 - lz4block.NearBits))
	}
	return int(word << 24 * hashFactorFive >> (64 - lz4block.FarBits))
}

// greedy goes on from c until the search would look beyond limit, or sets c.Out to -1 if the sequences do not fit into dst. What the table has
// never seen it takes to be at the start of the source, where it is then compared like any other.
func greedy[P position](c *lz4block.Cursor, table []P, dst, src []byte, limit, patient int) {
	pos, match, step, attempt, stage := c.Pos, c.Match, c.Step, c.Attempt, c.Stage
	anchor, out := c.Anchor, c.Out
	for out >= 0 {
		if stage == lz4block.Searching {
			for {
				if pos+step > limit {
					c.Step, c.Attempt = step, attempt
					goto stop
				}
				word := binary.LittleEndian.Uint64(src[pos:])
				slot := &table[slotOf[P](word)]
				match = int(*slot)
				*slot = P(pos)
				if binary.LittleEndian.Uint32(src[match:]) == uint32(word) && pos-match <= maxDistance {
					break
				}
				pos += step
				step = attempt >> patience
				attempt++
			}
		}
		if stage != lz4block.Matched {
			length := minMatch + common(src[:len(src)-endLiterals], pos+minMatch, pos-match)
			for pos > anchor && match > 0 && src[pos-1] == src[match-1] {
				pos--
				match--
				length++
			}
			out = putSequence(dst, out, src[anchor:pos], pos-match, length)
			pos += length
			anchor = pos
		}
		if stage = lz4block.Matched; pos >= limit {
			break
		}
		table[slotOf[P](binary.LittleEndian.Uint64(src[pos-2:]))] = P(pos - 2)
		word := binary.LittleEndian.Uint64(src[pos:])
		slot := &table[slotOf[P](word)]
		match = int(*slot)
		*slot = P(pos)
		stage = lz4block.Found // another match right there needs no literals
		if binary.LittleEndian.Uint32(src[match:]) != uint32(word) || pos-match > maxDistance {
			pos, step, attempt, stage = pos+1, 1, patient, lz4block.Searching
		}
	}
stop:
	c.Anchor, c.Out, c.Pos, c.Stage = anchor, out, pos, stage
}
