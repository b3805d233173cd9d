//go:build !purego

package blosclzstream

import "github.com/cairn-go/cairn/internal/asm/cpu"

// encodeAVX2 needs limit to be at most len(src)-slack. It stops as Searching or Matched at limit or
// beyond it, and as Found where the literals and the match might not fit into dst.
//
//go:noescape
func encodeAVX2(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int)

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
