// Package blosclzstream contains assembly for BloscLZ streams. A kernel processes as much as it
// safely can and returns its position. The plain Go of codecs/internal/blosclz, which needs no
// kernel, does the rest, mainly at the ends of buffers.
package blosclzstream

// TableBits is the size of the table of earlier positions, as a power of two.
const TableBits = 14

// A Stage is a point in the search for a match.
type Stage int

// The stages of an encoder, in order.
const (
	Searching Stage = iota // Pos is the next position to look at
	Found                  // the four bytes at Pos equal those Distance bytes earlier
	// a match ends before Pos, which is Anchor; its end is not in the table yet
	Matched
)

// An Encoder contains the settings and the state of an encoder. Assembly depends on its layout.
type Encoder struct {
	Base  uint32 // value of position 0 in the table
	Shift uint32 // 32 minus the bits of the hash
	// the step grows after every 2^Skip positions without a match …
	Skip int
	Most int // … up to this limit, which is less than 2^Skip
	// 1 to insert the last two positions of a match into the table, 0 to insert the last but one
	Twice int

	Anchor   int // everything before it in the source has been encoded
	Out      int // length of the output
	Pos      int
	Start    int // where the search began
	Distance int
	Stage    Stage
}

// Encode continues from e, whose stage is Searching, until the search reaches limit or an end of
// src or dst is near. The table contains the last position of four bytes by their hash.
func Encode(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {
	if limit = min(limit, len(src)-slack); e.Pos < limit {
		encode(e, table, dst, src, limit)
	}
}

// slack is the distance in bytes from the end of a buffer at which kernels stop.
const slack = 64

// Expand decodes tokens from src[in:] to dst[out:] until a token is near the end of either buffer
// or is invalid. It returns the offsets of that token and of its output.
func Expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if len(src)-in > slack && len(dst)-out > slack {
		return expand(dst, src, in, out)
	}
	return in, out
}
