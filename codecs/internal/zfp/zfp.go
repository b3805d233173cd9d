// Package zfp encodes and decodes blocks of floating-point numbers in the stream format of zfp 1.0,
// with loss.
//
// A block is cut into cells of 4 numbers along each of its 1 to 4 dimensions. Each cell is coded by
// itself:
//
//	nonzero    1 bit    0: all numbers of the cell are 0, and nothing follows
//	exponent   8 bits, 11 for float64: the largest one of the cell, plus 127 or 1023
//	planes     the cell as integers of a common scale, decorrelated along each dimension, in
//	           negabinary, ordered by frequency: one bit plane after the other from the highest
//	           down to where precision or space ends
//
// A plane begins with the bits of the coefficients up to the last one that had a bit set in a plane
// above. Then follow, as long as there are coefficients: 0 if all of the others are 0 in this
// plane, else 1, the zeros up to the next one and its own bit, which is left out for the last
// coefficient of all.
//
// Bits fill bytes from the lowest up. The stream has no header and ends at a multiple of 8 bytes.
//
// docs/format/codecs.md describes how C-Blosc2 uses it, and how large errors can be.
package zfp

import "math"

const (
	side     = 4   // numbers in a cell along each dimension
	maxDims  = 4   // dimensions of a block
	maxCell  = 256 // numbers in a cell of four dimensions
	wordBits = 64  // a stream ends at a multiple of as many

	maxPrecision = 64
	minExponent  = -1074

	// mostBytes is what a block or stream can have, so that its bits can be counted. It matters
	// where int has 32 bits.
	mostBytes = math.MaxInt / 16

	// mostBits is more than any cell can take: its exponent, and planes whose tests and bits take
	// at most twice their numbers.
	mostBits = 12 + 2*maxCell*wordBits
)
