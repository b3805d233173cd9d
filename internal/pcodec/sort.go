package pcodec

import (
	"slices"
)

// radixSort sorts latents, with other as scratch memory of the same length. It returns the sorted
// ones, and the other memory.
func radixSort[L latent](latents, other []L) (sorted, rest []L) {
	n := len(latents)
	if n < 256 {
		slices.Sort(latents)
		return latents, other
	}

	var counts [8][256]uint32
	size := sizeOf[L]()
	for _, l := range latents {
		v := uint64(l)
		for b := range size {
			counts[b][byte(v)]++
			v >>= 8
		}
	}

	for b := range size {
		count := &counts[b]
		shift := 8 * b
		if int(count[byte(uint64(latents[0])>>shift)]) == n {
			continue
		}

		sum := uint32(0)
		for i, c := range count {
			count[i] = sum
			sum += c
		}
		for _, l := range latents {
			digit := byte(uint64(l) >> shift)
			other[count[digit]] = l
			count[digit]++
		}
		latents, other = other, latents
	}
	return latents, other
}
