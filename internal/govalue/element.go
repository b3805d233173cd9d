package govalue

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/cairn-go/cairn/meta"
)

// float16 is the method set of the type of 16-bit floats, which is declared in package ndarray.
type float16 interface{ Bits() uint16 }

// isFloat16 reports whether a type is that of 16-bit floats.
func isFloat16(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.Size() == 2 && t.Implements(reflect.TypeFor[float16]())
}

// hostBigEndian reports whether this machine is big endian.
func hostBigEndian() bool { return binary.NativeEndian.Uint16([]byte{0, 1}) == 1 }

// Kind returns the NumPy kind and the size in bytes of a Go type that is a number or a bool;
// otherwise kind is 0.
func Kind(t reflect.Type) (kind byte, size int) {
	if isFloat16(t) {
		return 'f', 2
	}

	switch t.Kind() {
	case reflect.Bool:
		kind = 'b'
	case reflect.Float32, reflect.Float64:
		kind = 'f'
	case reflect.Complex64, reflect.Complex128:
		kind = 'c'
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		kind = 'u'
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		kind = 'i'
	}
	return kind, int(t.Size())
}

// Swap returns the width of the numbers of dtype d whose bytes must be reversed between files and
// the memory of this machine, or 0 if none must.
func Swap(d meta.DType) int { return swapWidth(d, hostBigEndian()) }

func swapWidth(d meta.DType, bigEndianHost bool) int {
	if elem, _, ok := d.SubArray(); ok {
		return swapWidth(elem, bigEndianHost)
	}

	width := d.Size()
	switch d.Kind() {
	case 'c':
		width /= 2
	case 'i', 'u', 'f', 'm', 'M':
	default:
		return 0
	}

	if width < 2 || width > 8 || d.BigEndian() == bigEndianHost {
		return 0
	}
	return width
}

// The bits of a 16-bit float.
const (
	float16Sign     = 0x8000
	float16Infinity = 0x7c00
	float16NaN      = 0x7e00
)

// RoundFloat16 returns the bits of the 16-bit float nearest to f, rounding ties to even. Every NaN
// becomes the quiet NaN.
func RoundFloat16(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 48 & float16Sign)
	size := math.Abs(f)

	switch {
	case f != f:
		return float16NaN
	case size >= 65520:
		return sign | float16Infinity
	case size < 0x1p-14:
		// A subnormal is a multiple of 2^-24. If it is rounded up to 1024, the bits are those of
		// the first normal number, as they should be.
		return sign | uint16(math.RoundToEven(size*0x1p24))
	}

	// size is fraction × 2^exponent with a fraction in [0.5, 1), rounded to 11 bits. A fraction
	// rounded up to 2048 carries into the exponent.
	fraction, exponent := math.Frexp(size)
	return sign | uint16((exponent+13)<<10+int(math.RoundToEven(fraction*2048)))
}

// WidenFloat16 returns the 16-bit float with the given bits exactly; a NaN keeps its payload.
func WidenFloat16(bits uint16) float32 {
	sign := uint32(bits&float16Sign) << 16
	exponent := uint32(bits >> 10 & 0x1f)
	fraction := uint32(bits & 0x3ff)

	switch exponent {
	case 0:
		size := float32(fraction) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(size))
	case 0x1f:
		return math.Float32frombits(sign | 0x7f80_0000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
