// Package lz4block holds assembly for LZ4 blocks. A kernel does as much as it safely can and says
// how far it came; the rest, the ends of buffers above all, is left to the plain Go of
// codecs/internal/lz4, which can do everything. Without a kernel that is all of it.
package lz4block

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Sizes of the tables of earlier positions, as powers of two.
const (
	TableBits = 14 // of encoders in one pass, for sources whose positions take more than 16 bits
	NearBits  = 13 // and for others
	HeadBits  = 16 // of the others
)

// StepUnit is how many units in which searches count their steps make a byte. Assembly knows it.
const StepUnit = 64

// A Stage is a point in the making of a sequence.
type Stage int

// The stages of an encoder, in their order.
const (
	Searching Stage = iota // Pos is the next position to look at
	Found                  // the bytes at Pos equal those at Match, four at least
	// a sequence ends before Pos, which has not been looked at; Anchor is Pos
	Matched
)

// A Cursor is how far an encoder has come between two steps. Assembly knows its layout.
type Cursor struct {
	Anchor int // the source before it has been encoded
	Out    int // length of the output, or -1 if it does not fit
	Pos    int
	Match  int
	// while searching: from Pos to the position to look at next; EncodeMid: where the search began
	Step    int
	Attempt int // while searching: the step after that, in units of 1/StepUnit
	Stage   Stage
}

// A Search says how an encoder looks for matches. Assembly knows its layout.
type Search struct {
	Factor  uint64 // a slot of the table is the upper bits of a product of this and eight bytes
	Attempt int    // of the cursor, after each match
	Growth  int    // of that, with each position that does not match
}

// EncodeNear goes on from c, which is searching or matched, until the search would look beyond
// limit or an end of src or dst is near. The lower half of the table holds the last position of
// bytes by their hash; src has at most 65536 of them.
func EncodeNear(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if limit = min(limit, len(src)-slack); cpu.AVX2 && c.Pos+c.Step <= limit {
		encodeNearAVX2(c, table, dst, src, limit, s)
	}
}

// EncodeFar is EncodeNear with all of the table, which holds positions modulo 65536.
func EncodeFar(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if limit = min(limit, len(src)-slack); cpu.AVX2 && c.Pos+c.Step <= limit {
		encodeFarAVX2(c, table, dst, src, limit, s)
	}
}

// EncodeMid goes on from c, which begins a search, until that gets beyond limit or an end of src or
// dst is near. The first half of the table holds the last position of four bytes by their hash, the
// second half that of seven, all plus base.
func EncodeMid(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32) {
	if limit = min(limit, len(src)-slack); cpu.AVX2 && c.Pos <= limit {
		encodeMidAVX2(c, table, dst, src, limit, base)
	}
}

// Longest follows links, by 16 bits of the position, from at to earlier positions, depth of them,
// and returns the longest match that covers pos, starts at low or later, ends at end or before, and
// is longer than length; low+length is at least 3 beyond pos. Of several it is the nearest; the
// length of none is 0. It reports false, and has looked at nothing, if there is no kernel for it.
func Longest(src []byte, links *[1 << 16]uint16, end, pos, low, length, at, depth int) (start, longest, distance int, ok bool) {
	if !cpu.AVX2 {
		return 0, 0, 0, false
	}
	start, longest, distance = longestAVX2(src, links, end, pos, low, length, at, depth)
	return start, longest, distance, true
}

// Expand decodes sequences from src[in:] to dst[out:] until one is near the end of either, or is
// not sound, or has a match that starts before dst. It returns where that sequence is and goes.
func Expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if len(src)-in > slack && len(dst)-out > slack {
		return expand(dst, src, in, out)
	}
	return in, out
}

// slack is how many bytes from an end kernels stop.
const slack = 64
