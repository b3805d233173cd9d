package pcodec

import (
	"math"
	"math/bits"
	"slices"
)

// candidates returns headers with the modes that may suit the sample.
func (c *chooser[L]) candidates(k kind) []header[L] {
	var out []header[L]
	if k != floating {
		base := commonFactor(c.sample)
		if base > 1 {
			out = append(out, header[L]{mode: intMult, base: base})
		}
		return out
	}

	if quant := spareBits(c.sample); quant > 0 {
		out = append(out, header[L]{mode: floatQuant, quant: quant})
	}
	for _, base := range multiples(c.sample) {
		if f := toFloat(ordered(floatBits[L](base))); f > 0 && !math.IsInf(f, 0) {
			out = append(out, header[L]{mode: floatMult, base: ordered(floatBits[L](base))})
		}
	}
	return out
}

// commonFactor returns a number by which differences of many latents can be divided, or 0.
func commonFactor[L latent](sample []L) L {
	counts := map[L]int{}
	triples := 0
	for at := 0; at+3 <= len(sample); at += 3 {
		a := sample[at]
		b := sample[at+1]
		c := sample[at+2]
		lowest := min(a, b, c)
		if a == b || b == c || a == c {
			continue
		}
		triples++
		if factor := gcd(gcd(a-lowest, b-lowest), c-lowest); factor > 1 {
			counts[factor]++
		}
	}

	// Of unrelated numbers, one of about 1.6 f² triples has the common factor f.
	best := L(0)
	most := 0.0
	for factor, count := range counts {
		f := float64(factor)
		expected := float64(triples) / (f * f) / 1.6
		if float64(count) < expected+3*math.Sqrt(expected)+2 {
			continue
		}
		saves := float64(count) * math.Log2(f)
		if saves > most || saves == most && factor < best {
			most = saves
			best = factor
		}
	}
	return best
}

func gcd[L latent](a, b L) L {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// spareBits returns how many of the last bits most floating-point numbers have clear.
func spareBits[L latent](sample []L) int {
	var counts [64]int
	most := mantissaBits[L]()
	for _, l := range sample {
		number := unordered(l)
		if number<<1 == 0 {
			continue
		}
		counts[min(most, bits.TrailingZeros64(uint64(number)))]++
	}

	// The first number of bits from which on fewer numbers are left.
	best := 0
	gain := 0.0
	left := 0
	for k := most; k > 0; k-- {
		left += counts[k]
		saves := float64(k) * float64(left)
		if left*2 > len(sample) && saves > gain {
			gain = saves
			best = k
		}
	}
	return best
}

// multiples returns numbers of which many floating-point numbers are multiples, nearly.
func multiples[L latent](sample []L) []float64 {
	numbers := make([]float64, 0, len(sample))
	limit := toFloat(ordered(greatest[L]())) / 2
	for _, l := range sample {
		f := math.Abs(toFloat(l))
		if f > 0 && f < limit {
			numbers = append(numbers, f)
		}
	}
	if len(numbers) < 16 {
		return nil
	}

	var out []float64
	add := func(base float64) {
		if base > 0 && !slices.Contains(out, base) {
			out = append(out, base)
		}
	}
	precision := mantissaBits[L]()
	add(decimalUnit(numbers, precision))
	add(binaryUnit(numbers, precision))
	add(anyUnit(numbers, precision))
	return out
}

// greatest returns the bits of the greatest floating-point number.
func greatest[L latent]() L { return ^middle[L]() - L(1)<<mantissaBits[L]() }

// tolerance is how far multiples may be from the numbers, in units of the last place.
const tolerance = 4

// fits returns how many of the numbers are multiples of base, with bits to spare.
func fits(numbers []float64, base float64, precision int) int {
	count := 0
	most := math.Ldexp(1, precision-2)
	off := math.Ldexp(1, tolerance/2-precision)
	for _, f := range numbers {
		whole := math.RoundToEven(f / base)
		if whole <= most && math.Abs(f-whole*base) <= f*off {
			count++
		}
	}
	return count
}

// decimalUnit returns the largest power of ten of which most numbers are multiples, or 0.
func decimalUnit(numbers []float64, precision int) float64 {
	few := numbers[:min(len(numbers), 512)]
	first := few[:min(len(few), 64)]
	for digits := -3; digits <= 17; digits++ {
		base := 1 / math.Pow(10, float64(digits))
		if fits(first, base, precision)*4 > len(first) && fits(few, base, precision)*2 > len(few) {
			return base
		}
	}
	return 0
}

// binaryUnit returns the largest number with few bits of which most numbers are exact multiples, or
// 0.
func binaryUnit(numbers []float64, precision int) float64 {
	least := math.MaxInt
	count := 0
	for _, f := range numbers {
		fraction, exponent := math.Frexp(f)
		zeros := bits.TrailingZeros64(uint64(math.Ldexp(fraction, 53))) - (52 - precision)
		if zeros < 5 {
			continue
		}
		count++
		least = min(least, exponent-1-precision+zeros)
	}
	if count*2 < len(numbers) {
		return 0
	}

	unit := math.Ldexp(1, least)
	var whole []uint64
	for _, f := range numbers {
		w := f / unit
		if w == math.Trunc(w) && w < 1<<62 {
			whole = append(whole, uint64(w))
		}
	}
	if factor := commonFactor(whole); factor > 1 {
		return unit * float64(factor)
	}
	return unit
}

// anyUnit returns a number of which many numbers are multiples, found by Euclid's algorithm on
// pairs, or 0.
func anyUnit(numbers []float64, precision int) float64 {
	var found []float64
	for i := 0; i+1 < len(numbers); i += 2 {
		if base := commonMeasure(numbers[i], numbers[i+1], precision); base > 0 {
			found = append(found, base)
		}
	}
	if len(found) < 8 {
		return 0
	}

	slices.Sort(found)
	base := 0.0
	most := len(numbers)/1000 + 2
	for i := range found {
		like, _ := slices.BinarySearch(found[i:], found[i]*1.01)
		if like > most {
			most = like
			base = found[i+like/2]
		}
	}
	if base == 0 {
		return 0
	}
	return snapped(refined(numbers, base, precision))
}

// commonMeasure returns the number of which both are multiples, nearly, or 0.
func commonMeasure(a, b float64, precision int) float64 {
	a, b = max(a, b), min(a, b)
	least := math.Ldexp(a, 6-precision)
	unit := math.Ldexp(1, -precision)
	errA := 0.0
	errB := 0.0
	if b <= least || a == b {
		return 0
	}

	for {
		whole := math.Round(a / b)
		rest := math.Abs(a - whole*b)
		errRest := errA + whole*errB + a*unit
		if rest <= math.Ldexp(a, -16) || rest <= errRest {
			return b
		}
		if rest <= least || rest <= 64*errRest {
			return 0
		}
		a, b = b, rest
		errA, errB = errB, errRest
	}
}

// refined returns the base near to base of which numbers are multiples most nearly.
func refined(numbers []float64, base float64, precision int) float64 {
	sum := 0.0
	weight := 0.0
	for _, f := range numbers {
		whole := math.Round(f / base)
		if whole == 0 || whole > math.Ldexp(1, precision-2) {
			continue
		}
		off := f/whole - base
		if math.Abs(off) > base/100 {
			continue
		}

		w := float64(precision) - math.Log2(whole)
		sum += off * w
		weight += w
	}
	if weight == 0 {
		return base
	}
	return base + sum/weight
}

// snapped returns the reciprocal of an integer, or a power of ten, if base is near to one.
func snapped(base float64) float64 {
	inverse := 1 / base
	if math.Abs(inverse-math.Round(inverse)) < 0.02 && math.Round(inverse) > 0 {
		return 1 / math.Round(inverse)
	}
	ten := math.Pow(10, math.Round(math.Log10(inverse)))
	if math.Abs(inverse-ten) < inverse/100 {
		return 1 / ten
	}
	return base
}
