package kernel

import "math"

// wholeNumbers rounds; integers and bools stay as they are, except by rint.
func wholeNumbers(name string, x Value) (Value, error) {
	if !x.kind.isFloat() && !x.kind.isComplex() && name != "rint" && (x.kind != Bool || name != "round") {
		return x, nil
	}

	switch name {
	case "floor":
		return inFloats(name, x, floors[float32], floors[float64])
	case "ceil":
		return inFloats(name, x, ceilings[float32], ceilings[float64])
	case "trunc":
		return inFloats(name, x, truncated[float32], truncated[float64])
	}
	return inFloats(name, x, nearest[float32], nearest[float64])
}

func floors[T floating](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Floor(float64(v)))
	}
}

func ceilings[T floating](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Ceil(float64(v)))
	}
}

func truncated[T floating](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Trunc(float64(v)))
	}
}

func nearest[T floating](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.RoundToEven(float64(v)))
	}
}

// classes returns which items are NaN, infinite or finite.
func classes(name string, x Value) (Value, error) {
	switch {
	case x.kind.isComplex():
		return complexClasses(name, x)
	case !x.kind.isFloat():
		return constant(Bool, name == "isfinite"), nil
	case x.kind == Float64:
		return class[float64](name, x), nil
	}
	return class[float32](name, x), nil
}

// complexClasses returns classes of the parts, combined.
func complexClasses(name string, x Value) (Value, error) {
	r, err := parts("real", x)
	if err != nil {
		return x, err
	}
	i, err := parts("imag", x)
	if err != nil {
		return x, err
	}

	if r, err = classes(name, r); err != nil {
		return x, err
	}

	i, err = classes(name, i)
	if err != nil {
		return x, err
	}

	if name == "isfinite" {
		return Binary("&", r, i)
	}
	return Binary("|", r, i)
}

func class[T floating](name string, x Value) Value {
	switch name {
	case "isnan":
		return one(Bool, x, func(dst []bool, x []T) {
			for i, v := range x {
				dst[i] = v != v
			}
		})
	case "isinf":
		return one(Bool, x, func(dst []bool, x []T) {
			for i, v := range x {
				dst[i] = v-v != 0 && v == v
			}
		})
	}

	return one(Bool, x, func(dst []bool, x []T) {
		for i, v := range x {
			dst[i] = v-v == 0
		}
	})
}

// parts returns the real or imaginary parts, or the conjugates.
func parts(name string, x Value) (Value, error) {
	switch {
	case !x.kind.isComplex() && name == "imag":
		return (&literal{}).as(x.kind)
	case x.kind == Bool && name == "conj":
		return Cast(x, Int8) // as in NumPy
	case !x.kind.isComplex():
		return x, nil
	case x.kind == Complex64:
		return complexParts[complex64, float32](name, x, Float32), nil
	}
	return complexParts[complex128, float64](name, x, Float64), nil
}

// complexParts returns parts of complex numbers, of a kind, or the conjugates.
func complexParts[T complexT, F floating](name string, x Value, of Kind) Value {
	if name == "conj" {
		return one(x.kind, x, func(dst, x []T) {
			for i, v := range x {
				dst[i] = T(complex(real(complex128(v)), -imag(complex128(v))))
			}
		})
	}
	return one(of, x, func(dst []F, x []T) {
		for i, v := range x {
			if dst[i] = F(real(complex128(v))); name == "imag" {
				dst[i] = F(imag(complex128(v)))
			}
		}
	})
}

// where returns the items of x where c is not 0, and of y elsewhere.
func where(c, x, y Value) (Value, error) {
	c, err := Cast(c, Bool)
	if err != nil {
		return c, err
	}

	if x.literal != nil && y.literal != nil {
		if x, err = Typed(x); err != nil {
			return x, err
		}

		y, err = Typed(y)
		if err != nil {
			return x, err
		}
	}

	k := common(x, y)
	if x, y, err = both(x, y, k); err != nil {
		return x, err
	}
	return types[k].choose(c, x, y), nil
}

func chosen[T any](c, x, y Value) Value {
	return Value{kind: x.kind, vec: &choice[T]{c: Vector[bool](c), x: Vector[T](x), y: Vector[T](y)}}
}
