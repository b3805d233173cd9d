package kernel

import "math"

// quotientOf returns (a + bi) / (c + di) by R. L. Smith's algorithm (Communications of the ACM 5,
// 1962), as NumPy does: Go's own division rounds differently. The conversions keep processors from
// fusing operations.
func quotientOf[F float32 | float64](a, b, c, d F) (re, im F) {
	if math.Abs(float64(c)) >= math.Abs(float64(d)) {
		if c == 0 && d == 0 {
			zero := F(math.Abs(float64(c)))
			return a / zero, b / zero
		}
		ratio := d / c
		scale := 1 / (c + F(d*ratio))
		return (a + F(b*ratio)) * scale, (b - F(a*ratio)) * scale
	}

	ratio := c / d
	scale := 1 / (d + F(c*ratio))
	return (F(a*ratio) + b) * scale, (F(b*ratio) - a) * scale
}

// complexQuotients divides complex numbers.
func complexQuotients[T complexT](dst, x, y []T) {
	switch dst := any(dst).(type) {
	case []complex64:
		x := any(x).([]complex64)[:len(dst)]
		y := any(y).([]complex64)[:len(dst)]
		for i := range dst {
			dst[i] = complex(quotientOf(real(x[i]), imag(x[i]), real(y[i]), imag(y[i])))
		}
	case []complex128:
		x := any(x).([]complex128)[:len(dst)]
		y := any(y).([]complex128)[:len(dst)]
		for i := range dst {
			dst[i] = complex(quotientOf(real(x[i]), imag(x[i]), real(y[i]), imag(y[i])))
		}
	}
}
