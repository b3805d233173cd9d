// Package deflate encodes and decodes whole buffers of DEFLATE data (RFC 1951), and computes the
// checksum of zlib (RFC 1950).
//
// It is faster than a streaming package because the ends of both buffers are known: there is no
// sliding window, input is read 8 bytes at a time, and matches are copied within the output.
package deflate

// The alphabets (RFC 1951 §3.2.5 and §3.2.7).
const (
	endOfBlock  = 256 // literal/length symbol; smaller ones are literals, larger ones lengths
	firstLength = 257

	// the symbols of a block; the fixed code has two more in each alphabet, which are invalid
	litLenSymbols   = 286
	litLenFixed     = 288
	distanceSymbols = 30
	distanceFixed   = 32
	precodeSymbols  = 19

	maxCodeLen    = 15
	maxPrecodeLen = 7

	minMatch    = 3
	maxMatch    = 258
	maxDistance = 32768
)

// LeastGain is the part of a block that compressing must save. Otherwise the block is stored.
const LeastGain = 32

// The types of blocks, in the two bits after the final bit (RFC 1951 §3.2.3).
const (
	blockStored = iota
	blockFixed
	blockDynamic
)

// A symbolRange is the least value of a symbol and the number of its extra bits.
type symbolRange struct {
	base  uint16
	extra uint8
}

// lengthRanges are the ranges of symbols 257 to 285.
var lengthRanges = [litLenSymbols - firstLength]symbolRange{
	{3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 0}, {10, 0},
	{11, 1}, {13, 1}, {15, 1}, {17, 1}, {19, 2}, {23, 2}, {27, 2}, {31, 2},
	{35, 3}, {43, 3}, {51, 3}, {59, 3}, {67, 4}, {83, 4}, {99, 4}, {115, 4},
	{131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0},
}

var distanceRanges = [distanceSymbols]symbolRange{
	{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 1}, {7, 1}, {9, 2}, {13, 2}, {17, 3}, {25, 3},
	{33, 4}, {49, 4}, {65, 5}, {97, 5}, {129, 6}, {193, 6}, {257, 7}, {385, 7}, {513, 8}, {769, 8},
	{1025, 9}, {1537, 9}, {2049, 10}, {3073, 10}, {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13},
}

// precodeOrder is the order of the code lengths of the precode in a block.
var precodeOrder = [precodeSymbols]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// The symbols of the precode that represent several lengths.
const (
	repeatLast      = 16 // the previous length 3 to 6 times
	repeatZero      = 17 // 0, 3 to 10 times
	repeatZeroLong  = 18 // 0, 11 to 138 times
	firstRepeat     = 16
	repeatLastBits  = 2
	repeatZeroBits  = 3
	repeatZLongBits = 7
)

// fixedLengths sets the code lengths of blocks with the fixed code (RFC 1951 §3.2.6).
func fixedLengths(lengths *[litLenFixed]uint8) {
	for s := range lengths {
		switch {
		case s < 144:
			lengths[s] = 8
		case s < 256:
			lengths[s] = 9
		case s < 280:
			lengths[s] = 7
		default:
			lengths[s] = 8
		}
	}
}

// A reason is an error in a stream.
type reason string

// Error implements [error].
func (r reason) Error() string { return string(r) }
