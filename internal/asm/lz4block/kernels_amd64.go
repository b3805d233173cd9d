//go:build !purego

package lz4block

import "github.com/cairn-go/cairn/internal/asm/cpu"

// encodeNearAVX2 requires limit to be at most len(src)-slack. It stops as Searching at limit, as
// Matched beyond it, or as Found if a sequence might not fit into dst.
//
//go:noescape
func encodeNearAVX2(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search)

// encodeFarAVX2 is encodeNearAVX2 for sources of any length. Matches are at most 65535 bytes away.
//
//go:noescape
func encodeFarAVX2(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search)

// encodeMidAVX2 has the requirements of encodeNearAVX2 and stops like it.
//
//go:noescape
func encodeMidAVX2(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32)

//go:noescape
func longestAVX2(src []byte, links *[1 << 16]uint16, end, pos, low, length, at, depth int) (start, longest, distance int)

// expandAVX2 requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandAVX2(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func encodeNear(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if cpu.AVX2 {
		encodeNearAVX2(c, table, dst, src, limit, s)
	}
}

func encodeFar(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if cpu.AVX2 {
		encodeFarAVX2(c, table, dst, src, limit, s)
	}
}

func encodeMid(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32) {
	if cpu.AVX2 {
		encodeMidAVX2(c, table, dst, src, limit, base)
	}
}

// Longest follows the links, which are indexed by 16 bits of the position, from at to depth earlier
// positions. It returns the start, length and distance of the longest match that covers pos, starts
// at low or later, ends at end or before, and is longer than length; low+length must be at least
// pos+3. Of equally long matches it returns the nearest; the length is 0 if there is none. It
// reports false, without a search, if there is no kernel.
func Longest(src []byte, links *[1 << 16]uint16, end, pos, low, length, at, depth int) (int, int, int, bool) {
	if !cpu.AVX2 {
		return 0, 0, 0, false
	}
	start, longest, distance := longestAVX2(src, links, end, pos, low, length, at, depth)
	return start, longest, distance, true
}

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.AVX2 {
		return expandAVX2(dst, src, in, out, &patterns)
	}
	return in, out
}
