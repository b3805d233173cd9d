//go:build !purego

package lz4block

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

// expandNEON requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandNEON(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

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

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.NEON {
		return expandNEON(dst, src, in, out, &patterns)
	}
	return in, out
}
