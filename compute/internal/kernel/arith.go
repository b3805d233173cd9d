package kernel

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
)

// The loops of operators. Slicing to the length of dst removes bounds checks. The slices have equal
// lengths.

func add[T realT | complexT](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func subtract[T realT | complexT](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func multiply[T realT | complexT](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func divide[T floating](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func and[T integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] & y[i]
	}
}

func or[T integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] | y[i]
	}
}

func xor[T integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] ^ y[i]
	}
}

// shiftLeft shifts by y; a shift by a negative number or by all bits gives 0.
func shiftLeft[T integer](dst, x, y []T) {
	for i := range dst {
		dst[i] = 0
		if y[i] >= 0 {
			dst[i] = x[i] << uint64(y[i])
		}
	}
}

// shiftRight shifts by y; a shift by a negative number shifts out all bits.
func shiftRight[T integer](dst, x, y []T) {
	for i := range dst {
		n := uint64(64)
		if y[i] >= 0 {
			n = uint64(y[i])
		}
		dst[i] = x[i] >> n
	}
}

// quotients divides and rounds down; division by zero gives 0.
func quotients[T integer](dst, x, y []T) {
	for i, b := range y {
		if b == 0 {
			dst[i] = 0
			continue
		}

		q := x[i] / b
		if rest := x[i] - q*b; rest != 0 && (rest < 0) != (b < 0) {
			q--
		}
		dst[i] = q
	}
}

// remainders have the sign of the divisor; division by zero gives 0.
func remainders[T integer](dst, x, y []T) {
	for i, b := range y {
		if b == 0 {
			dst[i] = 0
			continue
		}

		rest := x[i] % b
		if rest != 0 && (rest < 0) != (b < 0) {
			rest += b
		}
		dst[i] = rest
	}
}

var errNegativePower = fmt.Errorf("integers to negative powers are not possible, use a float: %w", cairn.ErrBounds)

func powers[T integer](dst, x, y []T) (err error) {
	for i, n := range y {
		if n < 0 {
			err = errNegativePower
			n = 0
		}

		result := T(1)
		for base := x[i]; n > 0; n >>= 1 {
			if n&1 != 0 {
				result *= base
			}
			base *= base
		}
		dst[i] = result
	}
	return err
}

func least[T realT](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}

func greatest[T realT](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

// leastNumber returns the lesser of two numbers, or the one that is not NaN.
func leastNumber[T floating](a, b T) T {
	if a <= b || b != b {
		return a
	}
	return b
}

func greatestNumber[T floating](a, b T) T {
	if a >= b || b != b {
		return a
	}
	return b
}

// pairwise returns a loop that calls fn for each pair of items.
func pairwise[T any](fn func(a, b T) T) func(dst, x, y []T) {
	return func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = fn(x[i], y[i])
		}
	}
}

// floorQuotient returns the greatest integer that is at most a/b, as // of Python does.
func floorQuotient[T floating](a, b T) T {
	if b == 0 {
		return a / b
	}

	rest := T(math.Mod(float64(a), float64(b)))
	q := (a - rest) / b // nearly an integer
	if rest != 0 && (rest < 0) != (b < 0) {
		q--
	}

	if q == 0 {
		return T(math.Copysign(0, float64(a/b)))
	}

	floor := T(math.Floor(float64(q)))
	if q-floor > 0.5 {
		floor++
	}
	return floor
}

// remainder returns a - b·floorQuotient(a, b), with the sign of b.
func remainder[T floating](a, b T) T {
	rest := T(math.Mod(float64(a), float64(b)))
	switch {
	case rest == 0:
		return T(math.Copysign(0, float64(b)))
	case (rest < 0) != (b < 0):
		return rest + b
	}
	return rest
}

func areLess[T realT](dst []bool, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] < y[i]
	}
}

func areAtMost[T realT](dst []bool, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] <= y[i]
	}
}

func areEqual[T comparable](dst []bool, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] == y[i]
	}
}

func areUnequal[T comparable](dst []bool, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] != y[i]
	}
}

// choose takes items of x where c is true, and of y elsewhere. The bits of floats are chosen as
// integers, for which processors need no branch.
func choose[T any](dst []T, c []bool, x, y []T) {
	switch dst := any(dst).(type) {
	case []float64:
		x := any(x).([]float64)
		y := any(y).([]float64)
		for i, yes := range c {
			bits := math.Float64bits(y[i])
			if yes {
				bits = math.Float64bits(x[i])
			}
			dst[i] = math.Float64frombits(bits)
		}
		return
	case []float32:
		x := any(x).([]float32)
		y := any(y).([]float32)
		for i, yes := range c {
			bits := math.Float32bits(y[i])
			if yes {
				bits = math.Float32bits(x[i])
			}
			dst[i] = math.Float32frombits(bits)
		}
		return
	}

	for i, yes := range c {
		v := y[i]
		if yes {
			v = x[i]
		}
		dst[i] = v
	}
}
