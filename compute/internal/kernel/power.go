package kernel

import "math"

// power returns x**y to about one unit in the last place. math.Pow has the special cases, but it
// multiplies in float64, where the error grows with the exponent.
func power(x, y float64) float64 {
	whole, part := math.Modf(math.Abs(y))
	special := x == 0 || math.IsInf(x, 0) || x < 0 && part != 0 || !(whole < 1<<40) || x != x
	if special || part == 0 && whole <= 3 || part == 0.5 && whole == 0 {
		return math.Pow(x, y)
	}

	m, e := math.Frexp(math.Abs(x))
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}

	// abs(x)**abs(y) is m**whole · m**part · 2**(e·whole) · 2**(e·part)
	p, exponent := wholePower(m, int64(whole))
	exponent += int64(e) * int64(whole)

	if part != 0 {
		of := float64(part * float64(e))
		near := math.Round(of)
		rest := (of - near) + math.FMA(part, float64(e), -of)
		p = p.times(double{math.Exp(float64(rest*math.Ln2) + float64(part*math.Log(m))), 0})
		exponent += int64(near)
	}

	if y < 0 {
		p, exponent = p.inverse(), -exponent
	}

	exponent = min(max(exponent, -1<<14), 1<<14) // of int, which may have 32 bits
	v := math.Ldexp(p.high+p.low, int(exponent))

	if x < 0 && int64(whole)&1 != 0 {
		return -v
	}
	return v
}

// wholePower returns m**n as a number times a power of two.
func wholePower(m float64, n int64) (p double, exponent int64) {
	p = double{1, 0}
	for base, at := (double{m, 0}), int64(0); n > 0; n >>= 1 {
		if n&1 != 0 {
			var e int64
			p, e = p.times(base).normal()
			exponent += at + e
		}

		var e int64
		base, e = base.times(base).normal()
		at = 2*at + e
	}
	return p, exponent
}

// A double is a number with twice the precision of float64, the sum of two.
type double struct{ high, low float64 }

func (a double) times(b double) double {
	high := float64(a.high * b.high) // or the sum below would be fused with it on some processors
	low := math.FMA(a.high, b.high, -high) + (float64(a.high*b.low) + float64(a.low*b.high))
	sum := high + low
	return double{sum, low - (sum - high)}
}

// inverse returns 1/a.
func (a double) inverse() double {
	high := 1 / a.high
	return double{high, float64(-high * (math.FMA(high, a.high, -1) + float64(high*a.low)))}
}

// normal returns a as a number from 0.5 to 1 times a power of two.
func (a double) normal() (double, int64) {
	high, e := math.Frexp(a.high)
	return double{high, math.Ldexp(a.low, -e)}, int64(e)
}

// log2 and log10 are those of package math but near 1, where these lose all digits: they add the
// exponent to the logarithm of the fraction.

func log2(v float64) float64 {
	if v > 0.5 && v < 2 {
		return float64(math.Log(v) * (1 / math.Ln2))
	}
	return math.Log2(v)
}

func log10(v float64) float64 {
	if v > 0.5 && v < 2 {
		return float64(math.Log(v) * (1 / math.Ln10))
	}
	return math.Log10(v)
}
