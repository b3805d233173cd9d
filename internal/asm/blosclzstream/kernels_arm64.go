//go:build !purego

package blosclzstream

import "github.com/cairn-go/cairn/internal/asm/cpu"

// encodeNEON requires limit to be at most len(src)-slack. It stops at or beyond limit as Searching
// or Matched, or as Found if the literals and the match might not fit into dst.
//
//go:noescape
func encodeNEON(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int)

// expandNEON requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandNEON(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func encode(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {
	if cpu.NEON {
		encodeNEON(e, table, dst, src, limit)
	}
}

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.NEON {
		return expandNEON(dst, src, in, out, &patterns)
	}
	return in, out
}
