// Package blosclzstream holds assembly for BloscLZ streams. A kernel does as much as it safely can
// and says how far it came; the rest, the ends of buffers above all, is left to the plain Go of
// codecs/internal/blosclz, which can do everything. Without a kernel that is all of it.
package blosclzstream

import "github.com/cairn-go/cairn/internal/asm/cpu"

// TableBits is the size of the table of earlier positions, as a power of two.
const TableBits = 14

// A Stage is a point in the making of a match.
type Stage int

// The stages of an encoder, in their order.
const (
	Searching Stage = iota // Pos is the next position to look at
	Found                  // the four bytes at Pos equal those that are Distance before
	// a match ends before Pos, which is Anchor; the table knows nothing of its end
	Matched
)

// An Encoder is how an encoder searches and how far it has come. Assembly knows its layout.
type Encoder struct {
	Base  uint32 // what the table calls position 0
	Shift uint32 // 32 less the bits of the hash
	// the search takes longer steps after 2^Skip positions without a match, and again …
	Skip int
	Most int // … but none longer than this, which is less than 2^Skip
	// 1 if the last two positions of a match enter the table, 0 if the last but one does
	Twice int

	Anchor   int // the source before it has been encoded
	Out      int // length of the output
	Pos      int
	Start    int // where the search began
	Distance int
	Stage    Stage
}

// Encode goes on from e, which is searching, until the search reaches limit or an end of src or dst
// is near. The table holds the last position of four bytes by their hash.
func Encode(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {
	if limit = min(limit, len(src)-slack); cpu.AVX2 && e.Pos < limit {
		encodeAVX2(e, table, dst, src, limit)
	}
}

// slack is how many bytes from an end kernels stop.
const slack = 64

// Expand decodes tokens from src[in:] to dst[out:] until one is near the end of either or is not
// sound. It returns where that token is and goes.
func Expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if len(src)-in > slack && len(dst)-out > slack {
		return expand(dst, src, in, out)
	}
	return in, out
}
