package ndarray

import "math"

// Float16 is an item of dtype "<f2" or ">f2": a float of 16 bits, with 11 bits of precision, of up to 65504. It is an [Element]: arrays of it are read and written as
// any others. Go has no arithmetic for it; compute with what [Float16.Float32] returns. Values are compared by their bits: +0 and -0 differ, and a NaN is equal to itself.
type Float16 struct{ bits uint16 }

// The bits of a Float16.
const (
	float16Sign     = 0x8000
	float16Infinity = 0x7c00
	float16NaN      = 0x7e00
)

// Float16FromBits returns the Float16 of which the bits are given, as IEEE 754 has them.
func Float16FromBits(bits uint16) Float16 { return Float16{bits} }

// Bits returns the bits of h, as IEEE 754 has them.
func (h Float16) Bits() uint16 { return h.bits }

// Float16From returns f rounded to the nearest Float16, of two equally near ones that with an even last bit: what is 65520 or more becomes an infinity, what is 2^-25
// or less a zero. Signs stay, and of a NaN the highest bits of its payload.
func Float16From(f float32) Float16 {
	if f != f {
		bits := math.Float32bits(f)
		payload := bits >> 13 & 0x3ff
		if payload == 0 {
			payload = 1 // an infinity otherwise
		}
		return Float16{uint16(bits>>16&float16Sign | float16Infinity | payload)}
	}
	return roundFloat16(float64(f))
}

// roundFloat16 is Float16From for a float64, rounded once; every NaN becomes the quiet one.
func roundFloat16(f float64) Float16 {
	sign := uint16(math.Float64bits(f) >> 48 & float16Sign)
	size := math.Abs(f)
	switch {
	case f != f:
		return Float16{float16NaN}
	case size >= 65520:
		return Float16{sign | float16Infinity}
	case size < 0x1p-14:
		// A subnormal counts steps of 2^-24; 1024 of them are the first normal number, as the bits have it too.
		return Float16{sign | uint16(math.RoundToEven(size*0x1p24))}
	}
	// size is fraction × 2^exponent with a fraction from 0.5 to 1, of which 11 bits stay; one that is rounded to 2048 carries into the exponent.
	fraction, exponent := math.Frexp(size)
	return Float16{sign | uint16((exponent+13)<<10+int(math.RoundToEven(fraction*2048)))}
}

// Float32 returns the same number, exactly; a NaN keeps its payload.
func (h Float16) Float32() float32 {
	sign, exponent, fraction := uint32(h.bits&float16Sign)<<16, uint32(h.bits>>10&0x1f), uint32(h.bits&0x3ff)
	switch exponent {
	case 0:
		size := float32(fraction) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(size))
	case 0x1f:
		return math.Float32frombits(sign | 0x7f80_0000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
