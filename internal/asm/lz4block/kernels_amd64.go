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

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.AVX2 {
		return expandAVX2(dst, src, in, out, &patterns)
	}
	return in, out
}
