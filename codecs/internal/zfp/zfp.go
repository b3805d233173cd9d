// Package zfp encodes and decodes blocks of floating-point numbers in the lossy stream format of
// zfp 1.0.
//
// A block is divided into cells of 4 numbers along each of its 1 to 4 dimensions. Each cell is
// coded independently:
//
//	nonzero    1 bit    0: all numbers of the cell are 0, and nothing follows
//	exponent   8 bits, 11 for float64: the largest one of the cell, plus 127 or 1023
//	planes     the cell as integers of a common scale, decorrelated along each dimension, in
//	           negabinary, ordered by frequency: one bit plane after the other from the highest
//	           down to where precision or space ends
//
// A plane begins with the bits of those coefficients that come no later than the last one with a
// bit set in a higher plane. The remaining coefficients follow in groups: 0 if all remaining bits
// of the plane are 0; otherwise 1, the zeros up to the next set bit, and that bit, which is omitted
// for the very last coefficient.
//
// Bits fill bytes from the lowest up. The stream has no header and ends at a multiple of 8 bytes.
//
// docs/format/codecs.md describes how C-Blosc2 uses it, and the size of errors.
package zfp

import "math"

const (
	side     = 4   // numbers in a cell along each dimension
	maxDims  = 4   // dimensions of a block
	maxCell  = 256 // numbers in a cell of four dimensions
	wordBits = 64  // the length of a stream is a multiple of this

	maxPrecision = 64
	minExponent  = -1074

	// mostBytes is the maximum size of a block or stream, so that an int can count its bits. It
	// matters if int has 32 bits.
	mostBytes = math.MaxInt / 16

	// mostBits bounds the size of a cell: its exponent, and planes whose tests and bits take at
	// most two bits per number.
	mostBits = 12 + 2*maxCell*wordBits
)
