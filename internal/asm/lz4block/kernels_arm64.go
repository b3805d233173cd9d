//go:build !purego

package lz4block

import "github.com/cairn-go/cairn/internal/asm/cpu"

// There are no kernels for encoders; cpu.AVX2 is false.

func encodeNearAVX2(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
}

func longestAVX2(src []byte, links *[1 << 16]uint16, end, pos, low, length, at, depth int) (start, longest, distance int) {
	return 0, 0, 0
}

func encodeMidAVX2(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32) {
}

func encodeFarAVX2(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {}

// expandNEON requires more than slack bytes in src from in and in dst from out.
//
//go:noescape
func expandNEON(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.NEON {
		return expandNEON(dst, src, in, out, &patterns)
	}
	return in, out
}
