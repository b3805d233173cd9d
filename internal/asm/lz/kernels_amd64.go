//go:build !purego

package lz

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

// expandLZ4AVX2 requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandLZ4AVX2(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

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

func expandLZ4(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.AVX2 {
		return expandLZ4AVX2(dst, src, in, out, &patterns)
	}
	return in, out
}

// encodeBloscAVX2 requires limit to be at most len(src)-slack. It stops at or beyond limit as
// Searching or Matched, or as Found if the literals and the match might not fit into dst.
//
//go:noescape
func encodeBloscAVX2(e *BloscEncoder, table *[1 << TableBits]uint32, dst, src []byte, limit int)

// expandBloscAVX2 requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandBloscAVX2(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func encodeBlosc(e *BloscEncoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {
	if cpu.AVX2 {
		encodeBloscAVX2(e, table, dst, src, limit)
	}
}

func expandBlosc(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.AVX2 {
		return expandBloscAVX2(dst, src, in, out, &patterns)
	}
	return in, out
}
