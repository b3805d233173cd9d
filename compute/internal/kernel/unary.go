package kernel

import (
	"math"
	"math/big"
)

// Unary returns the result of a sign: -, + or ~.
func Unary(op string, x Value) (Value, error) {
	if x.python() != nil {
		return foldSign(op, x)
	}
	switch {
	case op == "+" && x.kind != Bool:
		return x, nil
	case op == "~" && x.kind == Bool:
		return one(Bool, x, func(dst, x []bool) {
			for i, v := range x {
				dst[i] = !v
			}
		}), nil
	case op == "-" && x.kind != Bool || op == "~" && x.kind.isInt():
		return signs(op, x), nil
	}
	return Value{}, errKinds(op, x)
}

func foldSign(op string, x Value) (Value, error) {
	l := x.python()
	switch {
	case op == "+" && l.int == nil:
		return x, nil
	case op == "+":
		return intLiteral(l.int)
	case l.int == nil && op == "-":
		return Float(-l.float), nil
	case l.int == nil:
		return Value{}, errKinds(op, x)
	}
	if op == "~" {
		return intLiteral(new(big.Int).Not(l.int))
	}
	return intLiteral(new(big.Int).Neg(l.int))
}

// signs returns -x or ~x.
func signs(op string, x Value) Value {
	switch x.kind {
	case Int8:
		return integerSigns[int8](op, x)
	case Int16:
		return integerSigns[int16](op, x)
	case Int32:
		return integerSigns[int32](op, x)
	case Int64:
		return integerSigns[int64](op, x)
	case Uint8:
		return integerSigns[uint8](op, x)
	case Uint16:
		return integerSigns[uint16](op, x)
	case Uint32:
		return integerSigns[uint32](op, x)
	case Uint64:
		return integerSigns[uint64](op, x)
	case Float16, Float32:
		return one(x.kind, x, negate[float32])
	case Float64:
		return one(x.kind, x, negate[float64])
	case Complex64:
		return one(x.kind, x, negate[complex64])
	}
	return one(x.kind, x, negate[complex128])
}

func integerSigns[T integer](op string, x Value) Value {
	if op == "-" {
		return one(x.kind, x, negate[T])
	}
	return one(x.kind, x, func(dst, x []T) {
		for i, v := range x {
			dst[i] = ^v
		}
	})
}

func negate[T realT | complexT](dst, x []T) {
	for i, v := range x {
		dst[i] = -v
	}
}

// magnitudes returns the absolute values.
func magnitudes(x Value) Value {
	switch x.kind {
	case Bool, Uint8, Uint16, Uint32, Uint64:
		return x
	case Int8:
		return one(x.kind, x, absolute[int8])
	case Int16:
		return one(x.kind, x, absolute[int16])
	case Int32:
		return one(x.kind, x, absolute[int32])
	case Int64:
		return one(x.kind, x, absolute[int64])
	case Float16, Float32:
		return one(x.kind, x, absoluteFloats[float32])
	case Float64:
		return one(x.kind, x, absoluteFloats[float64])
	case Complex64:
		return one(Float32, x, func(dst []float32, x []complex64) {
			for i, v := range x {
				dst[i] = float32(math.Hypot(float64(real(v)), float64(imag(v))))
			}
		})
	}
	return one(Float64, x, func(dst []float64, x []complex128) {
		for i, v := range x {
			dst[i] = math.Hypot(real(v), imag(v))
		}
	})
}

func absolute[T signed](dst, x []T) {
	for i, v := range x {
		if v < 0 {
			v = -v
		}
		dst[i] = v
	}
}

func absoluteFloats[T floating](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Abs(float64(v)))
	}
}

// directions returns -1, 0 or 1, or NaN for NaN.
func directions(x Value) (Value, error) {
	switch x.kind {
	case Int8:
		return one(x.kind, x, sign[int8]), nil
	case Int16:
		return one(x.kind, x, sign[int16]), nil
	case Int32:
		return one(x.kind, x, sign[int32]), nil
	case Int64:
		return one(x.kind, x, sign[int64]), nil
	case Uint8:
		return one(x.kind, x, sign[uint8]), nil
	case Uint16:
		return one(x.kind, x, sign[uint16]), nil
	case Uint32:
		return one(x.kind, x, sign[uint32]), nil
	case Uint64:
		return one(x.kind, x, sign[uint64]), nil
	case Float16, Float32:
		return one(x.kind, x, sign[float32]), nil
	case Float64:
		return one(x.kind, x, sign[float64]), nil
	}
	return Value{}, errKinds("sign", x)
}

func sign[T realT](dst, x []T) {
	minusOne := T(0)
	minusOne--
	for i, v := range x {
		switch {
		case v > 0:
			v = 1
		case v < 0:
			v = minusOne
		case v == 0:
			v = 0 // of -0 too
		}
		dst[i] = v
	}
}
