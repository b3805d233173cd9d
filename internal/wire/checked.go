package wire

import "math"

// AddInt64 returns a+b and whether it does not overflow.
func AddInt64(a, b int64) (int64, bool) {
	sum := a + b
	// The sum has overflowed exactly if both operands have the opposite sign of the sum.
	return sum, (a^sum)&(b^sum) >= 0
}

// MulInt64 returns a*b and whether it does not overflow.
func MulInt64(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}

	// The check below misses this pair, because its quotient overflows too.
	if (a == -1 && b == math.MinInt64) || (b == -1 && a == math.MinInt64) {
		return math.MinInt64, false
	}
	product := a * b
	return product, product/b == a
}

// Product returns the product of all values, 1 for none, and whether no partial product overflows,
// from left to right. So a zero only prevents overflow of later factors, as in C-Blosc2.
func Product[T int | int32 | int64](values ...T) (int64, bool) {
	product := int64(1)
	for _, v := range values {
		var ok bool
		if product, ok = MulInt64(product, int64(v)); !ok {
			return 0, false
		}
	}
	return product, true
}

// RoundUp returns the smallest multiple of step that is at least n, for n ≥ 0 and step ≥ 1, and
// whether it exists and the arguments are valid.
func RoundUp(n, step int64) (int64, bool) {
	if n < 0 || step < 1 {
		return 0, false
	}

	rest := n % step
	if rest == 0 {
		return n, true
	}
	return AddInt64(n, step-rest)
}

// CeilDiv returns n/step rounded up, for n >= 0 and step >= 1, and whether the arguments are valid.
func CeilDiv(n, step int64) (int64, bool) {
	if n < 0 || step < 1 {
		return 0, false
	}

	quotient := n / step
	if n%step != 0 {
		quotient++
	}
	return quotient, true
}
