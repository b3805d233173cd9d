package numeric

import (
	"math"

	"github.com/cairn-go/cairn/internal/pcodec"
)

// tens has the powers of ten that are exact.
var tens = func() (t [maxDecimal + 1]float64) {
	t[0] = 1
	for i := range maxDecimal {
		t[i+1] = t[i] * 10
	}
	return t
}()

// floatOf returns the number with the bits of an item of 4 or 8 bytes.
func floatOf[L pcodec.Latent](item L) float64 {
	if widthOf[L]() == 32 {
		return float64(math.Float32frombits(uint32(item)))
	}
	return math.Float64frombits(uint64(item))
}

// itemOf returns the bits of the number nearest to f.
func itemOf[L pcodec.Latent](f float64) L {
	if widthOf[L]() == 32 {
		return L(math.Float32bits(float32(f)))
	}
	return L(math.Float64bits(f))
}

// signed returns the signed integer that has the bits of a latent.
func signed[L pcodec.Latent](l L) int64 {
	unused := 64 - widthOf[L]()
	return int64(uint64(l)<<unused) >> unused
}

// wholeOf returns the integer of a decimal, and whether the item can be made of it.
func wholeOf[L pcodec.Latent](item L, places int) (L, bool) {
	f := floatOf(item)
	scaled := 0.0
	if places >= 0 {
		scaled = math.RoundToEven(f * tens[places])
	} else {
		scaled = math.RoundToEven(f / tens[-places])
	}

	// This is false for NaN, too.
	limit := float64(int64(1) << min(53, widthOf[L]()-1))
	if !(scaled > -limit && scaled < limit) {
		return 0, false
	}
	whole := L(int64(scaled))
	return whole, decimalOf(whole, places) == item
}

// decimalOf is the inverse of wholeOf.
func decimalOf[L pcodec.Latent](whole L, places int) L {
	f := float64(signed(whole))
	if places >= 0 {
		return itemOf[L](f / tens[places])
	}
	return itemOf[L](f * tens[-places])
}

// ordered returns a float without its low bits so that integers have the order of numbers.
func ordered[L pcodec.Latent](item L, shift uint) L {
	top := middle[L]() >> shift
	cut := item >> shift
	if cut&top == 0 {
		return cut | top
	}
	return ^cut & (top<<1 - 1)
}

// unordered is the inverse of ordered.
func unordered[L pcodec.Latent](whole L, shift uint) L {
	top := middle[L]() >> shift
	if whole&top != 0 {
		return (whole ^ top) << shift
	}
	return ^whole << shift
}

// toItems replaces integers, which are relative to the first one, by items.
func toItems[L pcodec.Latent](h *header, items []L) {
	first := L(h.first)
	switch h.mode {
	case integers:
		step := L(h.step)
		for i, k := range items {
			items[i] = k*step + first
		}
	case floats:
		for i, k := range items {
			items[i] = unordered(k+first, h.shift)
		}
	case decimals:
		for i, k := range items {
			items[i] = decimalOf(k+first, h.places)
		}
	}
}

// toWhole writes the integers of items, and appends to odd the places of those that have none: the
// special ones, and what the mode cannot make.
func toWhole[L pcodec.Latent](h *header, whole, items []L, special []L, odd []int32) []int32 {
	first := L(h.first)
	step := int64(h.step)
	low := L(1)<<h.shift - 1
	for i, x := range items {
		var k L
		ok := true
		switch h.mode {
		case integers:
			k = x - first
			if step > 1 {
				n := signed(k) / step
				ok = n*step == signed(k)
				k = L(n)
			}
		case floats:
			ok = x&low == 0
			k = ordered(x, h.shift) - first
		case decimals:
			k, ok = wholeOf(x, h.places)
			k -= first
		}

		for _, s := range special {
			ok = ok && x != s
		}
		if !ok {
			odd = append(odd, int32(i))
		}
		whole[i] = k
	}
	return odd
}
