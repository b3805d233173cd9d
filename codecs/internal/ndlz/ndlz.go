// Package ndlz encodes and decodes NDLZ streams: two-dimensional blocks of bytes, divided into
// square cells that repeat each other.
//
// A stream consists of the number of dimensions, 2, and the two sides of the block as 32-bit
// integers, low byte first; then one token per cell, row by row of cells. Cells have 4 or 8 bytes a
// side; those at the far edges may be smaller. Tokens copy from the encoded stream itself, at off
// bytes before the token; off is two bytes, low byte first, after the token.
//
//	0x00                  bytes of the cell, row by row
//	0x40                  one byte, which is all of the cell
//	0xc0                  off: the cell
//
// Cells of 4 × 4 also have tokens followed by those rows that no offset covers:
//
//	0xe0, 0xe8, 0xf0, 0xf8    off: three rows, all but row 0, 3, 2, 1
//	0x88, 0x90, 0x98          off: rows 0 and 1, 0 and 2, 0 and 3
//	0xb0, 0xb8, 0x80          off: rows 1 and 2, 1 and 3, 2 and 3
//	0x28, 0x30, 0x38          two off: rows 0 and 1, 2 or 3; the two others
//
// and cells of 8 × 8:
//
//	0xa8 + r                  off: rows r to r+2
//	0x88 + r                  off: rows r and r+1
//
// docs/format/codecs.md describes how chunks use it.
package ndlz

const (
	headerSize = 1 + 4 + 4
	dims       = 2
	maxSide    = 8

	tokenLiteral = 0x00
	tokenSame    = 0x40
	tokenCell    = 0xc0

	// maxOffset is the maximum distance of encoders. The decoder of the real library adds up to 5
	// to it in 16 bits.
	maxOffset = 1<<16 - 1 - 16
)

// A match describes which rows of a cell are copied: count rows from one place, and for some tokens
// count rows from a second place.
type match struct {
	token uint8
	rows  [4]uint8 // rows from the first place, then those from the second
	count int      // rows from each place
	pairs int      // places
}

// matches4 are the tokens that copy rows of cells of 4 × 4, best first.
var matches4 = [...]match{
	{0x28, [4]uint8{0, 1, 2, 3}, 2, 2},
	{0x30, [4]uint8{0, 2, 1, 3}, 2, 2},
	{0x38, [4]uint8{0, 3, 1, 2}, 2, 2},
	{0xe8, [4]uint8{0, 1, 2}, 3, 1},
	{0xe0, [4]uint8{1, 2, 3}, 3, 1},
	{0xf0, [4]uint8{0, 1, 3}, 3, 1},
	{0xf8, [4]uint8{0, 2, 3}, 3, 1},
	{0x88, [4]uint8{0, 1}, 2, 1},
	{0xb0, [4]uint8{1, 2}, 2, 1},
	{0x80, [4]uint8{2, 3}, 2, 1},
	{0x90, [4]uint8{0, 2}, 2, 1},
	{0x98, [4]uint8{0, 3}, 2, 1},
	{0xb8, [4]uint8{1, 3}, 2, 1},
}

// matches8 are those for cells of 8 × 8.
var matches8 = [...]match{
	{0xa8, [4]uint8{0, 1, 2}, 3, 1}, {0xa9, [4]uint8{1, 2, 3}, 3, 1}, {0xaa, [4]uint8{2, 3, 4}, 3, 1},
	{0xab, [4]uint8{3, 4, 5}, 3, 1}, {0xac, [4]uint8{4, 5, 6}, 3, 1}, {0xad, [4]uint8{5, 6, 7}, 3, 1},
	{0x88, [4]uint8{0, 1}, 2, 1}, {0x89, [4]uint8{1, 2}, 2, 1}, {0x8a, [4]uint8{2, 3}, 2, 1}, {0x8b, [4]uint8{3, 4}, 2, 1},
	{0x8c, [4]uint8{4, 5}, 2, 1}, {0x8d, [4]uint8{5, 6}, 2, 1}, {0x8e, [4]uint8{6, 7}, 2, 1},
}

// matchesOf returns the tokens that copy rows of cells with the given side.
func matchesOf(side int) []match {
	if side == 4 {
		return matches4[:]
	}
	return matches8[:]
}
