package pcodec

import "github.com/cairn-go/cairn/internal/asm/latents"

// lookUp sets numbers to those at indices of the dictionary.
func (h *header[L]) lookUp(numbers []L, indices []uint32) error {
	dict := h.dict
	indices = indices[:len(numbers)]
	for i, at := range indices {
		if uint(at) >= uint(len(dict)) {
			return corrupt("number %d of a dictionary of %d", at, len(dict))
		}
		numbers[i] = dict[at]
	}
	return nil
}

// joinOne writes the numbers that latents stand for, which it changes.
func joinOne[L latent](dst []byte, numbers []L, k kind) {
	switch k {
	case signed:
		latents.Flip(numbers)
	case floating:
		latents.Unorder(numbers, 0, 0)
	}
	latents.Store(dst, numbers)
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
	if sizeOf[L]() == 2 {
		joinHalfs(any(primary).([]uint16), any(secondary).([]uint16), float32(base))
		return
	}

	mid := middle[L]()
	for len(primary) > 0 {
		done := 0
		switch p := any(primary).(type) {
		case []uint32:
			done = latents.Singles(p, any(secondary).([]uint32), float32(base))
		case []uint64:
			done = latents.Doubles(p, any(secondary).([]uint64), base)
		}
		primary = primary[done:]
		secondary = secondary[done:]
		if len(primary) == 0 {
			return
		}

		// A large one.
		product := floatBits[L](floatOf(wholeFloat(primary[0])) * base)
		primary[0] = ordered(product) + secondary[0] ^ mid
		primary = primary[1:]
		secondary = secondary[1:]
	}
}

// joinHalfs is joinFloats of numbers of 16 bits. Whole numbers below twice the precision are what
// wholeFloat counts; so are those below 0, from -0 on.
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
