// Package lz contains assembly for LZ4 blocks and for BloscLZ streams. A kernel processes as much
// as it safely can and returns its position. The plain Go of codecs/internal/lz4 and
// codecs/internal/blosclz, which need no kernel, does the rest, mainly at the ends of buffers.
package lz

// TableBits is the size of the table of earlier positions of an encoder with one pass, as a power
// of two.
const TableBits = 14

// A Stage is a point in the search for a match.
type Stage int

// The stages of an encoder, in order.
const (
	Searching Stage = iota // Pos is the next position to look at
	Found                  // at least four bytes at Pos equal those of an earlier position
	// a match ends before Pos, which is Anchor; Pos has not been searched, and BloscLZ has not
	// inserted the end of the match into its table
	Matched
)

// slack is the distance in bytes from the end of a buffer at which kernels stop.
const slack = 64
