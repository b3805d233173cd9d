//go:build !purego

package blosclzstream

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The encoders have no kernels here; cpu.AVX2 is false.

func encodeAVX2(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {}

// expandNEON needs more than slack bytes from in to the end of src and from out to the end of dst.
//
//go:noescape
func expandNEON(dst, src []byte, in, out int, patterns *[16]pattern) (inAfter, outAfter int)

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if cpu.NEON {
		return expandNEON(dst, src, in, out, &patterns)
	}
	return in, out
}
