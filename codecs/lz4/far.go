package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/lz4block"
)

// hashFar returns the slot of the lower five bytes of a word in the far table.
func hashFar(word uint64) uint64 {
	return word << 24 * hashFactorFive >> (64 - lz4block.FarBits)
}

// findFar is findNear for sources of any length: the table's positions may be too far away.
func (e *Encoder) findFar(c *lz4block.Cursor, src []byte, limit int) bool {
	table := &e.far
	pos, step, attempt := c.Pos, c.Step, c.Attempt
	for pos+step <= limit {
		word := binary.LittleEndian.Uint64(src[pos:])
		slot := &table[hashFar(word)]
		match := int(*slot)
		*slot = uint32(pos)
		if binary.LittleEndian.Uint32(src[match:]) == uint32(word) && pos-match <= maxDistance {
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

// followFar is followNear for sources of any length.
func (e *Encoder) followFar(c *lz4block.Cursor, src []byte) {
	pos := c.Pos
	e.far[hashFar(binary.LittleEndian.Uint64(src[pos-2:]))] = uint32(pos - 2)
	word := binary.LittleEndian.Uint64(src[pos:])
	slot := &e.far[hashFar(word)]
	match := int(*slot)
	*slot = uint32(pos)
	if binary.LittleEndian.Uint32(src[match:]) == uint32(word) && pos-match <= maxDistance {
		c.Match, c.Stage = match, lz4block.Found
		return
	}
	c.Pos++
	e.search(c)
}
