package zfp

import (
	"math"
)

// wide reports whether I represents float64. It is a compile-time constant.
func wide[I integer]() bool { return I(1)<<31<<1 != 0 }

// exponent returns the exponent e of the largest of the numbers with the given bits: its magnitude
// is in [2^(e-1), 2^e). 0 has the least exponent. Subnormal numbers have the one above it. NaN does
// not affect e. odd reports that some number is NaN or infinite, or that the scale for integers is
// infinite.
func exponent[I integer](numbers []I) (e int, odd bool) {
	var most I
	for _, v := range numbers {
		most = max(most, v&^sign[I]())
	}

	mantissa, bias := layout[I]()
	infinite := I(2*bias+1) << mantissa
	if most >= infinite {
		odd = true
		most = 0
		for _, v := range numbers {
			if v &^= sign[I](); v <= infinite {
				most = max(most, v)
			}
		}
	}

	switch {
	case most == 0:
		return -bias, odd
	case most == infinite:
		return 0, true // as in the C library's frexp
	}

	e = int(most>>mantissa) - bias + 1
	return e, odd || scale[I](e) > bias
}

// scale returns the exponent of the factor that converts the numbers of a cell to integers.
func scale[I integer](e int) int {
	if wide[I]() {
		return 62 - e
	}
	return 30 - e
}

// sign returns the sign bit.
func sign[I integer]() I {
	if wide[I]() {
		return I(-1) << 31 << 31 << 1
	}
	return I(-1) << 31
}

// layout returns the width of a number's mantissa and its exponent bias.
func layout[I integer]() (mantissa uint, bias int) {
	if wide[I]() {
		return 52, 1023
	}
	return 23, 127
}

// toIntegers scales numbers by a power of two, so that the largest use all bits but two, and
// truncates them. With odd, some numbers may be out of range; they become the least integer, as on
// x86.
func toIntegers[I integer](numbers []I, e int, odd bool) {
	if wide[I]() {
		s := power64(scale[I](e))
		for i, v := range numbers {
			numbers[i] = I(integer64(math.Float64frombits(uint64(v))*s, odd))
		}
		return
	}
	s := power32(scale[I](e))
	for i, v := range numbers {
		numbers[i] = I(integer32(math.Float32frombits(uint32(v))*s, odd))
	}
}

func integer64(v float64, odd bool) int64 {
	if odd && !(math.Abs(v) < 1<<63) {
		return math.MinInt64
	}
	return int64(v)
}

func integer32(v float32, odd bool) int32 {
	if odd && !(math.Abs(float64(v)) < 1<<31) {
		return math.MinInt32
	}
	return int32(v)
}

// power64 returns 2^e.
func power64(e int) float64 {
	if e > -1023 && e < 1024 {
		return math.Float64frombits(uint64(e+1023) << 52)
	}
	return math.Ldexp(1, e)
}

// power32 returns 2^e.
func power32(e int) float32 { return float32(power64(e)) }

// toNumbers is the inverse of toIntegers.
func toNumbers[I integer](numbers []I, e int) {
	if wide[I]() {
		s := power64(-scale[I](e))
		for i, v := range numbers {
			numbers[i] = I(math.Float64bits(s * float64(v)))
		}
		return
	}
	s := power32(-scale[I](e))
	for i, v := range numbers {
		numbers[i] = I(math.Float32bits(s * float32(v)))
	}
}
