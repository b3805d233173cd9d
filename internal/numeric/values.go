package numeric

import (
	"math"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/latents"
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
	negative := -(cut >> (widthOf[L]() - 1 - shift))
	return cut ^ (negative&(top<<1-1) | top)
}

// unordered is the inverse of ordered.
func unordered[L pcodec.Latent](whole L, shift uint) L {
	whole <<= shift
	negative := whole>>(widthOf[L]()-1) - 1
	return (whole ^ (negative | middle[L]())) >> shift << shift
}

// toWhole writes the integers of items, and appends to odd the places of those that have none. It
// writes what items are more than what integers make, if that is coded.
func toWhole[L pcodec.Latent](h *header, whole, adjust, items []L, odd []int32) []int32 {
	first := L(h.first)
	whole = whole[:len(items)]
	if h.mode == integers && h.step > 1 {
		return divide(whole, items, first, L(h.step), odd)
	}

	switch h.mode {
	case multiples:
		return toMultiples(&h.multiple, whole, adjust, items, first, odd)
	case integers:
		copy(whole, items)
		latents.Multiply(whole, 1, -first)
	case floats:
		low := L(1)<<h.shift - 1
		for i, x := range items {
			whole[i] = ordered(x, h.shift) - first
			if x&low != 0 {
				odd = append(odd, int32(i))
			}
		}
	case decimals:
		return toDecimals(whole, items, h.places, first, odd)
	}
	return odd
}

// toDecimals is toWhole of decimals.
func toDecimals[L pcodec.Latent](whole, items []L, places int, first L, odd []int32) []int32 {
	whole = whole[:len(items)]
	if places < 0 {
		for i, x := range items {
			k, ok := wholeOf(x, places)
			whole[i] = k - first
			if !ok {
				odd = append(odd, int32(i))
			}
		}
		return odd
	}

	// Those that are usual are what wholeOf is, without calls.
	by := tens[places]
	limit := float64(int64(1) << min(53, widthOf[L]()-1))
	for i, x := range items {
		scaled := math.RoundToEven(floatOf(x) * by)
		k := int64(0)
		ok := scaled > -limit && scaled < limit
		if ok {
			k = int64(scaled)
			ok = itemOf[L](float64(k)/by) == x
		}
		whole[i] = L(k) - first
		if !ok {
			odd = append(odd, int32(i))
		}
	}
	return odd
}

// divide writes the signed differences of items from first, divided by a step, which is below the
// middle.
func divide[L pcodec.Latent](whole, items []L, first, step L, odd []int32) []int32 {
	zeros := bits.TrailingZeros64(uint64(step))
	factor := inverse(step >> zeros)
	most := (middle[L]() - 1) / step
	for i, x := range items {
		// If the division leaves nothing, it is a multiplication. Otherwise, the product is
		// too large, or another one.
		d := x - first
		k := L(signed(d*factor) >> zeros)
		whole[i] = k
		if k+most > 2*most || k*step != d {
			odd = append(odd, int32(i))
		}
	}
	return odd
}

// inverse returns the number whose product with an odd one is 1.
func inverse[L pcodec.Latent](n L) L {
	// Three bits are right, and each turn doubles them.
	x := n
	for range 5 {
		x *= 2 - n*x
	}
	return x
}
