package kernel

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
)

// common returns the kind in which NumPy computes with two values, not both literals. The kind of a
// literal gives way to that of the other value.
func common(a, b Value) Kind {
	if a.literal != nil {
		a, b = b, a
	}

	switch {
	case b.literal == nil:
		return promoted(a.kind, b.kind)
	case b.literal.int == nil && (a.kind == Bool || a.kind.isInt()):
		return Float64
	case a.kind == Bool:
		return b.kind
	}
	return a.kind
}

// both casts two values to a kind.
func both(a, b Value, k Kind) (x, y Value, err error) {
	if x, err = Cast(a, k); err != nil {
		return x, y, err
	}

	y, err = Cast(b, k)
	return x, y, err
}

// Binary returns the result of an operator: + - * / // % ** & | ^ << >> < <= > >= == !=.
func Binary(op string, a, b Value) (Value, error) {
	if a.python() != nil && b.python() != nil {
		return fold(op, a, b)
	}

	k := common(a, b)
	switch op {
	case "<", "<=", ">", ">=", "==", "!=":
		// The result of a comparison in kind k.
		if v, ok := compareFar(op, a, b, k); ok {
			return v, nil
		}

		if k == Float64 && a.kind.isInt() && b.kind.isInt() && a.literal == nil && b.literal == nil {
			return compareMixed(op, a, b), nil
		}

		if k == Bool {
			k = Uint8
		}

		x, y, err := both(a, b, k)
		if err != nil {
			return Value{}, err
		}
		return types[k].compare(op, x, y), nil
	case "/":
		if k == Bool || k.isInt() {
			k = Float64
		}
	case "**":
		if v, ok, err := knownPower(a, b, k); ok || err != nil {
			return v, err
		}
	}

	if k == Bool {
		if v, ok := bools(op, a, b); ok {
			return v, nil
		}
		if op == "-" {
			return Value{}, fmt.Errorf("- is not possible for bools, use ^ or ~: %w", cairn.ErrType)
		}
		k = Int8
	}

	x, y, err := both(a, b, k)
	if err != nil {
		return Value{}, err
	}
	return arithmetic(op, x, y)
}

// arithmetic returns the result of an operation on two values of one kind.
func arithmetic(op string, x, y Value) (Value, error) {
	if of := types[x.kind].arithmetic; of != nil {
		return of(op, x, y)
	}
	return Value{}, errKinds(op, x, y)
}

// bools returns the result of an operator for bools that NumPy has.
func bools(op string, a, b Value) (Value, bool) {
	var fn func(dst, x, y []bool)

	switch op {
	case "+", "|", "maximum", "fmax":
		fn = func(dst, x, y []bool) {
			for i := range dst {
				dst[i] = x[i] || y[i]
			}
		}
	case "*", "&", "minimum", "fmin":
		fn = func(dst, x, y []bool) {
			for i := range dst {
				dst[i] = x[i] && y[i]
			}
		}
	case "^":
		fn = func(dst, x, y []bool) {
			for i := range dst {
				dst[i] = x[i] != y[i]
			}
		}
	default:
		return Value{}, false
	}

	return two(Bool, a, b, sure(fn)), true
}

// basic returns the function of an operator that all numbers have, or nil.
func basic[T realT | complexT](op string) func(dst, x, y []T) {
	switch op {
	case "+":
		return add[T]
	case "-":
		return subtract[T]
	case "*":
		return multiply[T]
	}
	return nil
}

func integers[T integer](op string, x, y Value) (Value, error) {
	fn := basic[T](op)

	switch op {
	case "+", "-", "*":
	case "//":
		fn = quotients[T]
	case "%":
		fn = remainders[T]
	case "**":
		return two(x.kind, x, y, powers[T]), nil
	case "&":
		fn = and[T]
	case "|":
		fn = or[T]
	case "^":
		fn = xor[T]
	case "<<":
		fn = shiftLeft[T]
	case ">>":
		fn = shiftRight[T]
	case "minimum", "fmin":
		fn = least[T]
	case "maximum", "fmax":
		fn = greatest[T]
	default:
		return Value{}, errKinds(op, x, y)
	}

	return two(x.kind, x, y, sure(fn)), nil
}

func floats[T floating](op string, x, y Value) (Value, error) {
	fn := basic[T](op)

	switch op {
	case "+", "-", "*":
	case "/":
		fn = divide[T]
	case "//":
		fn = pairwise(func(a, b T) T { return floorQuotient(a, b) })
	case "%":
		fn = pairwise(func(a, b T) T { return remainder(a, b) })
	case "minimum":
		fn = least[T]
	case "maximum":
		fn = greatest[T]
	case "fmin":
		fn = pairwise(leastNumber[T])
	case "fmax":
		fn = pairwise(greatestNumber[T])
	default:
		of, ok := pairFunctions[op]
		if !ok {
			return Value{}, errKinds(op, x, y)
		}
		fn = pairwise(func(a, b T) T { return T(of(float64(a), float64(b))) })
	}

	return two(x.kind, x, y, sure(fn)), nil
}

func complexes[T complexT](op string, x, y Value) (Value, error) {
	fn := basic[T](op)

	switch op {
	case "+", "-", "*":
	case "/":
		fn = complexQuotients[T]
	default:
		return Value{}, errKinds(op, x, y)
	}

	return two(x.kind, x, y, sure(fn)), nil
}

// knownPower returns a power with an exponent for which there is a faster way.
func knownPower(a, b Value, k Kind) (v Value, ok bool, err error) {
	if b.literal == nil || a.literal != nil {
		return v, false, nil
	}

	if two, ok := b.Int(); ok && two == 2 {
		v, err = squares(a)
		return v, true, err
	}

	if k.isInt() && b.literal.int.Sign() < 0 {
		return v, false, errNegativePower
	}

	x, err := Cast(a, k)
	if err != nil {
		return v, false, err
	}

	switch e := b.literal.value(); {
	case e == 1:
		return x, true, nil
	case e == 2:
		v, err = squares(x)
		return v, true, err
	case e == 3 && k == Float32:
		return one(k, x, cubes), true, nil
	case e == 3 && k != Float16:
		if v, err = arithmetic("*", x, x); err != nil {
			return v, true, err
		}

		v, err = arithmetic("*", v, x)
		return v, true, err
	case e == 0.5 && k.isFloat():
		v, err = Call("sqrt", x)
		return v, true, err
	case e == -1 && k.isFloat():
		one, err := (&literal{float: 1}).as(k)
		if err != nil {
			return v, true, err
		}

		v, err = arithmetic("/", one, x)
		return v, true, err
	}
	return v, false, nil
}

// compareFar compares integers with a literal beyond their range.
func compareFar(op string, a, b Value, k Kind) (Value, bool) {
	far := b.literal
	above := true
	if far == nil {
		far = a.literal
		above = false
	}

	if far == nil || far.int == nil || !k.isInt() || fits(far.int, k) {
		return Value{}, false
	}

	// The greater of the two is b if the literal is b and positive, or a and negative.
	less := (far.int.Sign() > 0) == above
	return constant(Bool, compares(op, less, false, true)), true
}

// compareMixed compares an int64 with a uint64.
func compareMixed(op string, a, b Value) Value {
	swapped := a.kind == Uint64
	if swapped {
		a, b = b, a
		op = strings.NewReplacer("<", ">", ">", "<").Replace(op)
	}

	a, _ = Cast(a, Int64) // integers of any kinds can be cast
	b, _ = Cast(b, Uint64)

	fn := func(dst []bool, x []int64, y []uint64) {
		for i, v := range x {
			w := y[i]
			dst[i] = compares(op, v < 0 || uint64(v) < w, v >= 0 && uint64(v) == w, true)
		}
	}
	return Value{kind: Bool, vec: &map2[int64, uint64, bool]{x: Vector[int64](a), y: Vector[uint64](b), fn: sure(fn)}}
}

func comparison[T realT](op string, x, y Value) Value {
	switch op {
	case ">":
		x, y = y, x
		fallthrough
	case "<":
		return two(Bool, x, y, sure(areLess[T]))
	case ">=":
		x, y = y, x
		fallthrough
	case "<=":
		return two(Bool, x, y, sure(areAtMost[T]))
	case "==":
		return two(Bool, x, y, sure(areEqual[T]))
	}
	return two(Bool, x, y, sure(areUnequal[T]))
}

// complexComparison compares the real parts and, if these are equal, the imaginary ones.
func complexComparison[T complexT](op string, x, y Value) Value {
	switch op {
	case "==":
		return two(Bool, x, y, sure(areEqual[T]))
	case "!=":
		return two(Bool, x, y, sure(areUnequal[T]))
	case ">", ">=":
		x, y = y, x
	}

	orEqual := len(op) == 2
	return two(Bool, x, y, sure(func(dst []bool, x, y []T) {
		for i := range dst {
			v := complex128(x[i])
			w := complex128(y[i])
			dst[i] = real(v) < real(w) && imag(v) == imag(v) && imag(w) == imag(w) ||
				real(v) == real(w) && (imag(v) < imag(w) || orEqual && imag(v) == imag(w))
		}
	}))
}
