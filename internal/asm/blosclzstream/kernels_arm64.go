//go:build !purego

package blosclzstream

import "github.com/cairn-go/cairn/internal/asm/cpu"

// There are no kernels for encoders; cpu.AVX2 is false.

func encodeAVX2(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {}

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
