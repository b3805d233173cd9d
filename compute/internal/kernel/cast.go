package kernel

import (
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/ndarray"
)

// Cast converts a value to a kind. Integers wrap around, floats are cut off towards zero, and what
// is out of the range of an integer is undefined, as in NumPy.
func Cast(v Value, to Kind) (Value, error) {
	if v.literal != nil {
		return v.literal.as(to)
	}

	if v.kind == to {
		return v, nil
	}
	return types[v.kind].cast(to, v), nil
}

// castBools casts by way of uint8, as 0 and 1.
func castBools(to Kind, v Value) Value {
	v = one(Uint8, v, fromBools)
	if to == Uint8 {
		return v
	}
	return castFrom[uint8](to, v)
}

func castFrom[X realT](to Kind, v Value) Value {
	switch to {
	case Bool:
		return one(to, v, toBools[X])
	case Int8:
		return one(to, v, convert[X, int8])
	case Int16:
		return one(to, v, convert[X, int16])
	case Int32:
		return one(to, v, convert[X, int32])
	case Int64:
		return one(to, v, convert[X, int64])
	case Uint8:
		return one(to, v, convert[X, uint8])
	case Uint16:
		return one(to, v, convert[X, uint16])
	case Uint32:
		return one(to, v, convert[X, uint32])
	case Uint64:
		return one(to, v, convert[X, uint64])
	case Float16:
		return one(to, v, toHalves[X])
	case Float32:
		if v.kind == Float16 {
			return Value{kind: to, vec: v.vec}
		}
		return one(to, v, convert[X, float32])
	case Float64:
		return one(to, v, convert[X, float64])
	case Complex64:
		return one(to, v, toComplex[X, complex64])
	}

	return one(to, v, toComplex[X, complex128])
}

// castComplex casts complex numbers: to real ones by way of the real parts in float64.
func castComplex[X complexT](to Kind, v Value) Value {
	switch to {
	case Bool:
		return one(to, v, toBools[X])
	case Complex64:
		return one(to, v, convertComplex[X, complex64])
	case Complex128:
		return one(to, v, convertComplex[X, complex128])
	}

	v = one(Float64, v, realParts[X])
	if to == Float64 {
		return v
	}
	return castFrom[float64](to, v)
}

func realParts[X complexT](dst []float64, x []X) {
	for i, c := range x {
		dst[i] = real(complex128(c))
	}
}

func convert[X, R realT](dst []R, x []X) {
	for i, v := range x {
		dst[i] = R(v)
	}
}

func convertComplex[X, R complexT](dst []R, x []X) {
	for i, v := range x {
		dst[i] = R(v)
	}
}

func toComplex[X realT, R complexT](dst []R, x []X) {
	for i, v := range x {
		dst[i] = R(complex(float64(v), 0))
	}
}

func toBools[X comparable](dst []bool, x []X) {
	var zero X
	for i, v := range x {
		dst[i] = v != zero
	}
}

func fromBools(dst []uint8, x []bool) {
	for i, v := range x {
		n := uint8(0)
		if v {
			n = 1
		}
		dst[i] = n
	}
}

// toHalves rounds to the precision of a float16.
func toHalves[X realT](dst []float32, x []X) {
	for i, v := range x {
		dst[i] = ndarray.Float16FromBits(half(float64(v))).Float32()
	}
}

func half(v float64) uint16 {
	if v != v {
		return 0x7e00
	}
	return govalue.RoundFloat16(v)
}

// rounded rounds the float32 results of an operation on float16 items.
func rounded(v Value, k Kind) Value {
	if k != Float16 {
		return v
	}
	return one(Float16, Value{kind: Float32, vec: v.vec}, toHalves[float32])
}
