package pcodec

import (
	"encoding/binary"
	"math"

	"github.com/cairn-go/cairn/internal/asm/latents"
)

// lookUp sets latents to the numbers at indices of the dictionary.
func (h *header[L]) lookUp(latents []L, indices []uint32) error {
	dict := h.dict
	indices = indices[:len(latents)]
	for i, at := range indices {
		if uint(at) >= uint(len(dict)) {
			return corrupt("number %d of a dictionary of %d", at, len(dict))
		}
		latents[i] = dict[at]
	}
	return nil
}

// joinOne writes the numbers that latents stand for, which it changes.
func joinOne[L latent](dst []byte, latents []L, k kind) {
	mid := middle[L]()
	switch k {
	case signed:
		for i := range latents {
			latents[i] ^= mid
		}
	case floating:
		unorder(latents)
	}
	store(dst, latents)
}

// unorder is unordered of all latents.
func unorder[L latent](latents []L) {
	mid := middle[L]()
	top := latentBits[L]() - 1
	for i, l := range latents {
		// All bits change if the highest is clear, and only that one if it is set.
		latents[i] = l ^ (l>>top - 1 | mid)
	}
}

// littleEndian is whether numbers are in files as they are in memory.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// store writes the bits of numbers, the lowest byte first.
func store[L latent](dst []byte, numbers []L) {
	if littleEndian {
		copy(dst, latents.Bytes(numbers))
		return
	}
	for i, l := range numbers {
		put(dst, i, l)
	}
}

// joinTwo joins latents to those of the numbers, in place of the primary ones.
func (h *header[L]) joinTwo(primary, secondary []L) {
	secondary = secondary[:len(primary)]
	switch h.mode {
	case intMult:
		base := h.base
		for i, l := range primary {
			primary[i] = l*base + secondary[i]
		}

	case floatMult:
		h.joinFloats(primary, secondary)

	case floatQuant:
		// The lower part of negative numbers is counted downwards, so that it is 0 for those that
		// have nothing there.
		zero := middle[L]() >> h.quant
		most := L(1)<<h.quant - 1
		quant := h.quant & 63
		for i, l := range primary {
			low := secondary[i]
			if l < zero {
				low = most - low
			}
			primary[i] = l<<quant + low
		}
	}
}

// joinFloats is joinTwo of multiples of a floating-point number.
func (h *header[L]) joinFloats(primary, secondary []L) {
	base := toFloat(h.base)
	switch primary := any(primary).(type) {
	case []uint16:
		joinHalfs(primary, any(secondary).([]uint16), float32(base))
	case []uint32:
		joinSingles(primary, any(secondary).([]uint32), float32(base))
	case []uint64:
		joinDoubles(primary, any(secondary).([]uint64), base)
	}
}

// Whole numbers below twice the precision are what wholeFloat counts; so are those below 0, from
// -0 on.

func joinHalfs(primary, secondary []uint16, base float32) {
	const mid = 1 << 15
	for i, l := range primary {
		negative := uint16(int16(l^mid) >> 15)
		n := l ^ mid ^ negative
		var product uint16
		if n < 1<<11 {
			product = halfOf(float32(n)*base) ^ negative&mid
		} else {
			product = toHalf(floatOf(wholeFloat(l)) * float64(base))
		}
		primary[i] = ordered(product) + secondary[i] ^ mid
	}
}

func joinSingles(primary, secondary []uint32, base float32) {
	const mid = 1 << 31
	for i, l := range primary {
		negative := uint32(int32(l^mid) >> 31)
		n := l ^ mid ^ negative
		var product uint32
		if n < 1<<24 {
			product = math.Float32bits(float32(int32(n))*base) ^ negative&mid
		} else {
			product = math.Float32bits(float32(floatOf(wholeFloat(l)) * float64(base)))
		}
		product ^= uint32(int32(product)>>31) | mid
		primary[i] = product + secondary[i] ^ mid
	}
}

func joinDoubles(primary, secondary []uint64, base float64) {
	const mid = 1 << 63
	for i, l := range primary {
		negative := uint64(int64(l^mid) >> 63)
		n := l ^ mid ^ negative
		var product uint64
		if n < 1<<53 {
			product = math.Float64bits(float64(int64(n))*base) ^ negative&mid
		} else {
			product = math.Float64bits(floatOf(wholeFloat(l)) * base)
		}
		product ^= uint64(int64(product)>>63) | mid
		primary[i] = product + secondary[i] ^ mid
	}
}
