package pcodec

import (
	"math"

	"github.com/cairn-go/cairn/internal/asm/latents"
)

// latentsOf returns the latents of numbers.
func latentsOf[L latent](out []L, src []byte, k kind) []L {
	n := len(src) / sizeOf[L]()
	out = sized(out, n)
	latents.Load(out, src)

	switch k {
	case signed:
		latents.Flip(out)
	case floating:
		mid := middle[L]()
		top := latentBits[L]() - 1
		for i, number := range out {
			out[i] = number ^ (-(number >> top) | mid)
		}
	}
	return out
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
		h.splitFloats(primary, secondary, latents)

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

// splitFloats is split in multiples of a floating-point number.
func (h *header[L]) splitFloats(primary, secondary, latents []L) {
	base := toFloat(h.base)
	switch l := any(latents).(type) {
	case []uint16:
		splitHalfs(any(primary).([]uint16), any(secondary).([]uint16), l, float32(base))
	case []uint32:
		splitSingles(any(primary).([]uint32), any(secondary).([]uint32), l, base)
	case []uint64:
		splitDoubles(any(primary).([]uint64), any(secondary).([]uint64), l, base)
	}
}

// splitFloat returns the latents of one number.
func splitFloat[L latent](l L, base float64) (primary, secondary L) {
	mid := middle[L]()
	whole := wholeLatent(floatBits[L](math.RoundToEven(toFloat(l) / base)))
	product := floatBits[L](floatOf(wholeFloat(whole)) * base)
	return whole, (l - ordered(product)) ^ mid
}

// splitDoubles splits numbers in steps that need no branches, unless they are many times the base.
func splitDoubles(primary, secondary, latents []uint64, base float64) {
	const mid = 1 << 63
	inverse := 1 / base
	primary = primary[:len(latents)]
	secondary = secondary[:len(latents)]
	for i, l := range latents {
		number := math.Float64frombits(l ^ (l>>63 - 1 | mid))
		quotient := number * inverse
		if !(math.Abs(quotient) < 1<<51) {
			primary[i], secondary[i] = splitFloat(l, base)
			continue
		}

		// The sum has a unit of the last place of 1.
		negative := uint64(int64(math.Float64bits(quotient)) >> 63)
		sum := math.Abs(quotient) + 1<<52
		whole := math.Float64bits(sum) & (1<<52 - 1)
		product := math.Float64bits((sum-1<<52)*base) ^ negative&mid
		primary[i] = whole ^ negative ^ mid
		secondary[i] = (l - (product ^ (-(product >> 63) | mid))) ^ mid
	}
}

// splitSingles is splitDoubles of numbers of 32 bits.
func splitSingles(primary, secondary, latents []uint32, base float64) {
	const mid = 1 << 31
	inverse := 1 / base
	primary = primary[:len(latents)]
	secondary = secondary[:len(latents)]
	for i, l := range latents {
		number := math.Float32frombits(l ^ (l>>31 - 1 | mid))
		quotient := float64(number) * inverse
		if !(math.Abs(quotient) < 1<<24-1) {
			primary[i], secondary[i] = splitFloat(l, base)
			continue
		}

		negative := uint32(int64(math.Float64bits(quotient)) >> 63)
		sum := math.Abs(quotient) + 1<<52
		whole := uint32(math.Float64bits(sum))
		product := math.Float32bits(float32(sum-1<<52)*float32(base)) ^ negative&mid
		primary[i] = whole ^ negative ^ mid
		secondary[i] = (l - (product ^ (-(product >> 31) | mid))) ^ mid
	}
}

// splitHalfs is splitDoubles of numbers of 16 bits.
func splitHalfs(primary, secondary, latents []uint16, base float32) {
	const mid = 1 << 15
	primary = primary[:len(latents)]
	secondary = secondary[:len(latents)]
	for i, l := range latents {
		number := l ^ (l>>15 - 1 | mid)
		if number&0x7c00 == 0x7c00 {
			primary[i], secondary[i] = splitFloat(l, float64(base))
			continue
		}

		// Numbers without a sign, of which the exponent is moved.
		size := math.Float32frombits(uint32(number&^mid)<<13) * (1 << 112)
		quotient := size / base
		negative := uint16(int16(number)>>15) ^ uint16(int32(math.Float32bits(base))>>31)
		if base < 0 {
			quotient = -quotient
		}
		if !(quotient < 1<<11-1) {
			primary[i], secondary[i] = splitFloat(l, float64(base))
			continue
		}
		sum := quotient + 1<<23
		whole := uint16(math.Float32bits(sum))
		product := halfOf((sum-1<<23)*base) ^ negative&mid
		primary[i] = whole ^ negative ^ mid
		secondary[i] = (l - (product ^ (-(product >> 15) | mid))) ^ mid
	}
}
