package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/lz"
)

// greedy continues from c until the search would go beyond limit. It sets c.Out to -1 if the
// sequences do not fit into dst. A slot is a hash of 64 bits shifted right. An empty slot is taken
// for the start of the source, or of a later 65536 bytes of it; that position is compared like any
// other.
func greedy(c *lz.Cursor, positions *table, dst, src []byte, limit int, s *lz.Search, shift int) {
	const slots = 1<<lz.TableBits - 1
	// Local variables stay in registers; the cursor would be written at each position.
	pos := c.Pos
	match := c.Match
	step := c.Step
	attempt := c.Attempt
	stage := c.Stage
	anchor := c.Anchor
	out := c.Out

	for out >= 0 {
		if stage == lz.Searching {
			for {
				if pos+step > limit {
					c.Step = step
					c.Attempt = attempt
					goto stop
				}
				word := binary.LittleEndian.Uint64(src[pos:])
				slot := &positions[word*s.Factor>>shift&slots]
				match = pos - 1 - int(uint16(pos-1)-*slot)
				*slot = uint16(pos)
				if binary.LittleEndian.Uint32(src[match:]) == uint32(word) && pos-match <= maxDistance {
					break
				}
				pos += step
				step = attempt / lz.StepUnit
				attempt += s.Growth
			}
		}

		if stage != lz.Matched {
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

		if stage = lz.Matched; pos >= limit {
			break
		}

		positions[binary.LittleEndian.Uint64(src[pos-2:])*s.Factor>>shift&slots] = uint16(pos - 2)
		step = 1
		attempt = s.Attempt
		stage = lz.Searching
	}
stop:
	c.Anchor = anchor
	c.Out = out
	c.Pos = pos
	c.Stage = stage
}
