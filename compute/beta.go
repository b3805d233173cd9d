package compute

import "math"

// incompleteBeta returns the regularized incomplete beta function of x in [0, 1] with positive a
// and b, by its continued fraction, which converges fast below (a+1)/(a+b+2); beyond, it is 1 minus
// the function of 1-x with b and a.
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 || x >= 1 {
		return x
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(1-x, b, a)
	}

	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(a*math.Log(x)+b*math.Log1p(-x)+lab-la-lb) / a
	return front / betaFraction(x, a, b)
}

// betaFraction returns 1 + d1/(1 + d2/(1 + …)), the continued fraction of the function, by the
// method of Lentz.
func betaFraction(x, a, b float64) float64 {
	const tiny = 1e-300
	const most = 10000 // which is needed for no number of items: it takes about the root of a

	above := 1.0
	below := 0.0
	value := 1.0

	for k := 1; k <= most; k++ {
		m := float64(k / 2)
		var d float64
		if k%2 == 0 {
			d = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		} else {
			d = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}

		below = 1 + d*below
		if below == 0 {
			below = tiny
		}
		below = 1 / below
		above = 1 + d/above
		if above == 0 {
			above = tiny
		}

		step := above * below
		value *= step
		if math.Abs(step-1) < 1e-15 {
			break
		}
	}
	return value
}
