package zfp

import "math"

// A Mode says what the loss is bounded by.
type Mode uint8

// The modes that C-Blosc2 has codecs for.
const (
	Accuracy  Mode = iota // the absolute error
	Precision             // the bit planes of a cell
	Rate                  // the bits of a cell, neither more nor fewer
)

// bounds are what ends the planes of a cell, in zfp's terms.
type bounds struct {
	bits      int // of a cell at most; 0 for any
	padded    bool
	precision int // planes at most
	exponent  int // planes below 2^exponent are left out, but for those that the transform needs
}

// boundsOf returns what C-Blosc2 makes of a chunk's codec parameter.
func boundsOf(m Mode, parameter uint8, dims, typeSize int) bounds {
	b := bounds{bits: mostBits, precision: maxPrecision, exponent: minExponent}
	switch m {
	case Accuracy:
		// math.Frexp wants a fraction from 0.5 to 1, so that it gives one more than the logarithm.
		_, e := math.Frexp(math.Pow10(int(int8(parameter))))
		b.exponent = e - 1
	case Precision:
		b.precision = min(int(parameter)+2*dims+3, maxPrecision)
	case Rate:
		// In this order, and rounded after each step, as C does it.
		rate := float64(float64(parameter)/100) * float64(8*typeSize)
		n := float64(int(1)<<(2*dims)) * rate
		b.bits, b.padded = max(int(math.Floor(n+0.5)), 1+exponentBits(typeSize)), true
	}
	return b
}

// planes returns how many planes of a cell are coded whose largest exponent is e.
func (b *bounds) planes(e, dims int) int {
	return min(b.precision, max(0, e-b.exponent+2*dims+2))
}

// exponentBits is the width of the exponent.
func exponentBits(typeSize int) int {
	if typeSize == 4 {
		return 8
	}
	return 11
}
