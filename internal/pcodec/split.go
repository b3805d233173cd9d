package pcodec

import (
	"encoding/binary"
	"math"
)

// get returns the bits of number i.
func get[L latent](src []byte, i int) L {
	switch sizeOf[L]() {
	case 1:
		return L(src[i])
	case 2:
		return L(binary.LittleEndian.Uint16(src[2*i:]))
	case 4:
		return L(binary.LittleEndian.Uint32(src[4*i:]))
	}
	return L(binary.LittleEndian.Uint64(src[8*i:]))
}

// latentsOf returns the latents of numbers.
func latentsOf[L latent](latents []L, src []byte, k kind) []L {
	n := len(src) / sizeOf[L]()
	latents = sized(latents, n)

	mid := middle[L]()
	switch k {
	case unsigned:
		for i := range latents {
			latents[i] = get[L](src, i)
		}
	case signed:
		for i := range latents {
			latents[i] = get[L](src, i) ^ mid
		}
	case floating:
		for i := range latents {
			latents[i] = ordered(get[L](src, i))
		}
	}
	return latents
}

// sized returns a slice of n elements, s if it has room for them.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// wholeLatent is the inverse of wholeFloat: it returns the latent of a number without a fraction.
func wholeLatent[L latent](number L) L {
	mid := middle[L]()
	size := number &^ mid
	exact := L(1) << (mantissaBits[L]() + 1)
	first := floatBits[L](float64(exact))

	var n L
	if size < first {
		n = L(uint64(floatOf(size)))
	} else {
		n = exact + (size - first)
	}
	if number&mid == 0 {
		return mid + n
	}
	return mid - 1 - n
}

// split divides latents into primary and secondary ones, by the mode of h.
func (h *header[L]) split(primary, secondary, latents []L) {
	switch h.mode {
	case intMult:
		for i, l := range latents {
			primary[i] = l / h.base
			secondary[i] = l % h.base
		}

	case floatMult:
		base := toFloat(h.base)
		mid := middle[L]()
		for i, l := range latents {
			whole := wholeLatent(floatBits[L](math.Round(toFloat(l) / base)))
			primary[i] = whole
			product := floatBits[L](floatOf(wholeFloat(whole)) * base)
			secondary[i] = (l - ordered(product)) ^ mid
		}

	case floatQuant:
		zero := middle[L]()
		most := L(1)<<h.quant - 1
		for i, l := range latents {
			low := l & most
			if l < zero {
				low = most - low
			}
			primary[i] = l >> h.quant
			secondary[i] = low
		}

	default:
		copy(primary, latents)
	}
}
