package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/lz4block"
)

// hashNear returns the slot of four bytes in the near table.
func hashNear(word uint32) uint32 {
	return word * hashFactor >> (32 - lz4block.NearBits)
}

// findNear looks for a position from c.Pos on whose four bytes equal those at an earlier position that the table knows, and
// enters all it looks at into the table. It reports false if it would have to look beyond limit. What the table has never seen
// it takes to be at the start of the source, where it is then compared like any other.
func (e *Encoder) findNear(c *lz4block.Cursor, src []byte, limit int) bool {
	table := &e.near
	pos, step, attempt := c.Pos, c.Step, c.Attempt
	for pos+step <= limit {
		word := binary.LittleEndian.Uint32(src[pos:])
		slot := &table[hashNear(word)]
		match := int(*slot)
		*slot = uint16(pos)
		if binary.LittleEndian.Uint32(src[match:]) == word {
			c.Pos, c.Match, c.Stage = pos, match, lz4block.Found
			return true
		}
		pos += step
		step = attempt >> patience
		attempt++
	}
	c.Pos, c.Step, c.Attempt = pos, step, attempt
	return false
}

// followNear looks at the position behind a match: another match there needs no literals.
func (e *Encoder) followNear(c *lz4block.Cursor, src []byte) {
	pos := c.Pos
	e.near[hashNear(binary.LittleEndian.Uint32(src[pos-2:]))] = uint16(pos - 2)
	word := binary.LittleEndian.Uint32(src[pos:])
	slot := &e.near[hashNear(word)]
	match := int(*slot)
	*slot = uint16(pos)
	if binary.LittleEndian.Uint32(src[match:]) == word {
		c.Match, c.Stage = match, lz4block.Found
		return
	}
	c.Pos++
	e.search(c)
}
