package zfp

import "math"

// A Mode is the kind of bound on the loss.
type Mode uint8

// The modes for which C-Blosc2 has codecs.
const (
	Accuracy  Mode = iota // the absolute error
	Precision             // the bit planes of a cell
	Rate                  // the exact number of bits of a cell
)

// bounds limit the planes of a cell, in zfp's terms.
type bounds struct {
	bits      int // maximum bits of a cell; 0 for no limit
	padded    bool
	precision int // maximum number of planes
	exponent  int // planes below 2^exponent are omitted, except those that the transform needs
}

// boundsOf returns the bounds for a codec parameter, computed as in C-Blosc2.
func boundsOf(m Mode, parameter uint8, dims, typeSize int) bounds {
	b := bounds{bits: mostBits, precision: maxPrecision, exponent: minExponent}
	switch m {
	case Accuracy:
		// math.Frexp returns a fraction in [0.5, 1), and so an exponent one above the logarithm.
		_, e := math.Frexp(math.Pow10(int(int8(parameter))))
		b.exponent = e - 1
	case Precision:
		b.precision = min(int(parameter)+2*dims+3, maxPrecision)
	case Rate:
		// In this order and rounded after each step, as in C.
		rate := float64(float64(parameter)/100) * float64(8*typeSize)
		n := float64(int(1)<<(2*dims)) * rate
		b.bits = max(int(math.Floor(n+0.5)), 1+exponentBits(typeSize))
		b.padded = true
	}
	return b
}

// planes returns the number of coded planes of a cell whose largest exponent is e.
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
