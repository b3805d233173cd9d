package pcodec

import (
	"math/bits"
	"slices"
)

// digitBits is how many bits latents are sorted by at once.
const digitBits = 8

// sort sorts latents, with scratch memory of the same length: by the upper bits in which they
// differ, then those that have them in common.
func sort[L latent](latents, scratch []L) {
	if len(latents) < 128 {
		slices.Sort(latents)
		return
	}
	low, high := extremes(latents)
	if low == high {
		return
	}

	shift := max(0, bits.Len64(uint64(high-low))-digitBits) & 63
	var next [1<<digitBits + 1]uint32
	for _, l := range latents {
		next[(l-low)>>shift+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	for _, l := range latents {
		digit := (l - low) >> shift
		scratch[next[digit]] = l
		next[digit]++
	}
	copy(latents, scratch)
	if shift == 0 {
		return
	}

	begin := uint32(0)
	for _, end := range next[:1<<digitBits] {
		if end > begin+1 {
			sort(latents[begin:end], scratch[begin:end])
		}
		begin = end
	}
}
