//go:build !purego

package lz

import "github.com/cairn-go/cairn/internal/asm/cpu"

// encodeNearNEON requires limit to be at most len(src)-slack. It stops as Searching at limit, as
// Matched beyond it, or as Found if a sequence might not fit into dst.
//
//go:noescape
func encodeNearNEON(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search)

// encodeFarNEON is encodeNearNEON for sources of any length. Matches are at most 65535 bytes away.
//
//go:noescape
func encodeFarNEON(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search)

// encodeMidNEON has the requirements of encodeNearNEON and stops like it.
//
//go:noescape
func encodeMidNEON(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32)

// expandLZ4NEON requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandLZ4NEON(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func encodeNear(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if cpu.NEON {
		encodeNearNEON(c, table, dst, src, limit, s)
	}
}

func encodeFar(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if cpu.NEON {
		encodeFarNEON(c, table, dst, src, limit, s)
	}
}

func encodeMid(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32) {
	if cpu.NEON {
		encodeMidNEON(c, table, dst, src, limit, base)
	}
}

func expandLZ4(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.NEON {
		return expandLZ4NEON(dst, src, in, out, &patterns)
	}
	return in, out
}

// encodeBloscNEON requires limit to be at most len(src)-slack. It stops at or beyond limit as
// Searching or Matched, or as Found if the literals and the match might not fit into dst.
//
//go:noescape
func encodeBloscNEON(e *BloscEncoder, table *[1 << TableBits]uint32, dst, src []byte, limit int)

// expandBloscNEON requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandBloscNEON(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func encodeBlosc(e *BloscEncoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {
	if cpu.NEON {
		encodeBloscNEON(e, table, dst, src, limit)
	}
}

func expandBlosc(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.NEON {
		return expandBloscNEON(dst, src, in, out, &patterns)
	}
	return in, out
}
