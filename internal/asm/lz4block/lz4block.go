// Package lz4block contains assembly for LZ4 blocks. A kernel processes as much as it safely can
// and returns its position. The plain Go of codecs/internal/lz4, which needs no kernel, does the
// rest, mainly at the ends of buffers.
package lz4block

// Sizes of the tables of earlier positions, as powers of two.
const (
	TableBits = 14 // of encoders with one pass, if positions exceed 16 bits
	NearBits  = 13 // of encoders with one pass, otherwise
	HeadBits  = 16 // of all other encoders
)

// StepUnit is the number of units per byte in which searches count their steps. Assembly depends on
// it.
const StepUnit = 64

// A Stage is a point in the search for a sequence.
type Stage int

// The stages of an encoder, in order.
const (
	Searching Stage = iota // Pos is the next position to look at
	Found                  // at least four bytes at Pos equal those at Match
	// a sequence ends before Pos, which is Anchor; Pos has not been searched
	Matched
)

// A Cursor is the state of an encoder between two steps. Assembly depends on its layout.
type Cursor struct {
	Anchor int // everything before it in the source has been encoded
	Out    int // length of the output, or -1 if it does not fit
	Pos    int
	Match  int
	// while searching: distance from Pos to the next position; EncodeMid: start of the search
	Step    int
	Attempt int // while searching: the step after that, in units of 1/StepUnit
	Stage   Stage
}

// A Search contains the settings of a search for matches. Assembly depends on its layout.
type Search struct {
	Factor  uint64 // the upper bits of its product with eight bytes index the table
	Attempt int    // the cursor's Attempt after each match
	Growth  int    // added to Attempt at each position without a match
}

// EncodeNear continues from c, whose stage is Searching or Matched, until the search would go
// beyond limit or an end of src or dst is near. The lower half of the table contains the last
// position of bytes by their hash; src has at most 65536 bytes.
func EncodeNear(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if limit = min(limit, len(src)-slack); c.Pos+c.Step <= limit {
		encodeNear(c, table, dst, src, limit, s)
	}
}

// EncodeFar is EncodeNear with the whole table, which contains positions modulo 65536.
func EncodeFar(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if limit = min(limit, len(src)-slack); c.Pos+c.Step <= limit {
		encodeFar(c, table, dst, src, limit, s)
	}
}

// EncodeMid continues from c, at the start of a search, until the search goes beyond limit or an
// end of src or dst is near. The first half of the table contains the last position of four bytes
// by their hash, the second half that of seven bytes, all plus base.
func EncodeMid(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32) {
	if limit = min(limit, len(src)-slack); c.Pos <= limit {
		encodeMid(c, table, dst, src, limit, base)
	}
}

// Expand decodes sequences from src[in:] to dst[out:] until a sequence is near the end of either
// buffer, is invalid, or has a match that starts before dst. It returns the offsets of that
// sequence and of its output.
func Expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if len(src)-in > slack && len(dst)-out > slack {
		return expand(dst, src, in, out)
	}
	return in, out
}

// slack is the distance in bytes from the end of a buffer at which kernels stop.
const slack = 64
