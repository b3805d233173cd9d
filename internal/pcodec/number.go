package pcodec

import "math"

// lengthBits returns the bits of a number of bits, up to those of a latent.
func lengthBits[L latent]() int {
	switch sizeOf[L]() {
	case 1:
		return 4
	case 2:
		return 5
	case 4:
		return 6
	}
	return 7
}

// mantissaBits returns the bits of a floating-point number behind the exponent.
func mantissaBits[L latent]() int {
	switch sizeOf[L]() {
	case 2:
		return 10
	case 4:
		return 23
	case 8:
		return 52
	}
	return 0
}

// ordered returns the latent of the bits of a floating-point number, so that latents are in the
// order of numbers. It is its own inverse on latents of positive numbers only: see unordered.
func ordered[L latent](number L) L {
	if mid := middle[L](); number&mid == 0 {
		return number | mid
	}
	return ^number
}

// unordered is the inverse of ordered.
func unordered[L latent](l L) L {
	if mid := middle[L](); l&mid != 0 {
		return l ^ mid
	}
	return ^l
}

// toFloat returns the floating-point number that a latent stands for.
func toFloat[L latent](l L) float64 { return floatOf(unordered(l)) }

// floatOf returns the floating-point number with these bits.
func floatOf[L latent](number L) float64 {
	switch sizeOf[L]() {
	case 2:
		return float64(fromHalf(uint16(number)))
	case 4:
		return float64(math.Float32frombits(uint32(number)))
	}
	return math.Float64frombits(uint64(number))
}

// floatBits returns the bits of the number nearest to f, which is one of at most twice its
// precision.
func floatBits[L latent](f float64) L {
	switch any(L(0)).(type) {
	case uint16:
		return L(toHalf(f))
	case uint32:
		return L(math.Float32bits(float32(f)))
	}
	return L(math.Float64bits(f))
}

// fromHalf returns the number with the bits of a float16.
func fromHalf(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent := uint32(h >> 10 & 0x1f)
	mantissa := uint32(h & 0x3ff)

	switch exponent {
	case 0:
		f := float32(mantissa) / (1 << 24)
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | mantissa<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | mantissa<<13)
}

// toHalf returns the bits of the float16 nearest to f, the even one of two.
func toHalf(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 48 & 0x8000)
	f = math.Abs(f)
	switch {
	case math.IsNaN(f):
		// The payload stays, as far as it fits, and the number is quiet.
		return sign | 0x7e00 | uint16(math.Float64bits(f)>>42&0x3ff)
	case f >= 65520:
		return sign | 0x7c00
	case f < 1.0/(1<<14):
		return sign | uint16(math.RoundToEven(f*(1<<24)))
	}

	// The exponent is of at least -14, so the mantissa has all bits; rounding may carry into it.
	fraction, exponent := math.Frexp(f)
	mantissa := uint16(math.RoundToEven(fraction * (1 << 11)))
	return sign | (uint16(exponent+13)<<10 + mantissa)
}

// halfOf is toHalf of a number of single precision.
func halfOf(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	size := bits &^ (1 << 31)
	switch {
	case size >= 0x47800000:
		return toHalf(float64(f))
	case size < 0x38800000:
		// The sum has a unit of the last place of 2^-24, as the float16.
		sum := math.Float32frombits(size) + 0.5
		return sign | uint16(math.Float32bits(sum)-math.Float32bits(0.5))
	}
	return sign | uint16((size-(127-15)<<23+0xfff+size>>13&1)>>13)
}

// wholeFloat returns the bits of the floating-point number without a fraction that a latent counts:
// from the middle up the positive ones in their order, and downwards from below it the negative.
func wholeFloat[L latent](l L) L {
	mid := middle[L]()
	sign := L(0)
	n := l - mid
	if l < mid {
		sign = mid
		n = mid - 1 - l
	}

	// Below twice the precision each integer is a number; above, each number is an integer.
	exact := L(1) << (mantissaBits[L]() + 1)
	if n < exact {
		return floatBits[L](float64(n)) | sign
	}
	return floatBits[L](float64(exact)) + (n - exact) | sign
}
