//go:build !purego

package blosclzstream

import "github.com/cairn-go/cairn/internal/asm/cpu"

// encodeAVX2 requires limit to be at most len(src)-slack. It stops at or beyond limit as Searching
// or Matched, or as Found if the literals and the match might not fit into dst.
//
//go:noescape
func encodeAVX2(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int)

// expandAVX2 requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandAVX2(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func encode(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {
	if cpu.AVX2 {
		encodeAVX2(e, table, dst, src, limit)
	}
}

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.AVX2 {
		return expandAVX2(dst, src, in, out, &patterns)
	}
	return in, out
}
