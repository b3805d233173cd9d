package bins

import (
	"math/bits"
	"unsafe"
)

// Part is how many latents Lengths measures together.
const Part = 16

// Lengths sets those of as many latents as out has: how many bits each differs from the middle in,
// without the sign. Within a part they are in any order.
func Lengths[L Latent](out [][Part]uint8, latents []L) {
	if len(out) == 0 {
		return
	}
	latents = latents[:len(out)*Part]
	done := lengths(out, latents)
	for i := range out[done:] {
		part := latents[(done+i)*Part:][:Part]
		to := &out[done+i]
		for j, l := range part {
			to[j] = uint8(LengthOf(l))
		}
	}
}

// LengthOf returns the length of a latent.
func LengthOf[L Latent](l L) int {
	unused := 64 - 8*uint(unsafe.Sizeof(l))
	d := int64(uint64(l)<<unused^1<<63) >> unused
	return bits.Len64(uint64(d ^ d>>63))
}
