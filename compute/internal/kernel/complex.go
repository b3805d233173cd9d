package kernel

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/cairn-go/cairn"
)

// complexFunctions are the functions of floats that complex numbers have too.
var complexFunctions = map[string]func(complex128) complex128{
	"sqrt": cmplx.Sqrt, "exp": cmplx.Exp, "log": cmplx.Log,
}

func eachComplex[T complexT](of func(complex128) complex128) func(dst, x []T) {
	return func(dst, x []T) {
		for i, v := range x {
			dst[i] = T(of(complex128(v)))
		}
	}
}

// roundTo rounds to a number of digits behind the point, or before it if that is negative. Like
// NumPy it scales, so that the items of a kind are rounded in that kind.
func roundTo(x, digits Value) (Value, error) {
	n, ok := digits.Int()
	if !ok || n < -300 || n > 300 {
		return x, fmt.Errorf("the digits of round are an integer from -300 to 300: %w", cairn.ErrBounds)
	}

	x, err := Typed(x)
	switch {
	case err != nil:
		return x, err
	case x.kind == Bool && n != 0 || x.kind.isComplex():
		return x, errKinds("round", x)
	case n == 0 || x.kind.isInt() && n > 0:
		return call1("round", x)
	}

	up := "*"
	down := "/"
	scale := Float(math.Pow10(int(max(n, -n))))
	if n < 0 {
		up = "/"
		down = "*"
	}

	v, err := Binary(up, x, scale)
	if err != nil {
		return v, err
	}

	v, err = call1("rint", v)
	if err != nil {
		return v, err
	}

	v, err = Binary(down, v, scale)
	if err != nil {
		return v, err
	}
	return Cast(v, x.kind)
}
