//go:build !purego

package lz4block

import "github.com/cairn-go/cairn/internal/asm/cpu"

// encodeNearAVX2 needs limit to be at most len(src)-slack. It stops as Searching at the limit, as
// Matched beyond it, as Found where a sequence might not fit into dst.
//
//go:noescape
func encodeNearAVX2(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search)

// encodeFarAVX2 is encodeNearAVX2 for sources of any length. Matches are at most 65535 bytes away.
//
//go:noescape
func encodeFarAVX2(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search)

// encodeMidAVX2 needs what encodeNearAVX2 needs, and stops like it.
//
//go:noescape
func encodeMidAVX2(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32)

//go:noescape
func longestAVX2(src []byte, links *[1 << 16]uint16, end, pos, low, length, at, depth int) (start, longest, distance int)

// expandAVX2 needs more than slack bytes from in to the end of src and from out to the end of dst.
//
//go:noescape
func expandAVX2(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.AVX2 {
		return expandAVX2(dst, src, in, out, &patterns)
	}
	return in, out
}
