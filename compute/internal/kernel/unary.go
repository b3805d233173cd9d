package kernel

import (
	"math"
	"math/big"
)

// Unary returns the result of a sign: -, + or ~.
func Unary(op string, x Value) (Value, error) {
	if x.python() != nil {
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
		return types[x.kind].signs(op, x), nil
	}
	return Value{}, errKinds(op, x)
}

// negatives returns -x.
func negatives[T floating | complexT](_ string, x Value) Value { return one(x.kind, x, negate[T]) }

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
	if of := types[x.kind].magnitude; of != nil {
		return of(x)
	}
	return x
}

// moduli returns the absolute values of complex numbers.
func moduli[T complexT, F floating](dst []F, x []T) {
	for i, v := range x {
		dst[i] = F(math.Hypot(real(complex128(v)), imag(complex128(v))))
	}
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
	if of := types[x.kind].direction; of != nil {
		return of(x), nil
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
