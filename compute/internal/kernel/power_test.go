package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestPower compares with numbers of 400 bits.
func TestPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	wide := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	for range 500 {
		n := int(rng.ExpFloat64() * 300)
		x := math.Exp(rng.NormFloat64() * 300 / float64(n+1))
		y := float64(n) + float64(rng.IntN(4))/4
		want := wide(1)
		for range n {
			want.Mul(want, wide(x))
		}
		root := new(big.Float).Sqrt(new(big.Float).Sqrt(wide(x)))
		for range int(4 * (y - float64(n))) {
			want.Mul(want, root)
		}
		if rng.IntN(2) == 0 {
			want.Quo(wide(1), want)
			y = -y
		}
		exact, _ := want.Float64()
		if exact == 0 || math.IsInf(exact, 0) {
			continue
		}
		off, _ := new(big.Float).Sub(want, wide(power(x, y))).Float64()
		unit := math.Nextafter(exact, math.Inf(1)) - exact
		if most := 2 * unit; math.Abs(off) > most {
			t.Fatalf("%v ** %v is %v, want %v", x, y, power(x, y), exact)
		}
	}
	inf := math.Inf(1)
	for _, c := range [][3]float64{
		{-2, 5, -32}, {-2, -4, 1. / 16}, {3, 20, 3486784401}, {10, 22, 1e22}, {2, -1074, 5e-324}, {2, 1024, inf},
		{-2, 1025, -inf}, {-1.5, 1e300, inf}, {0.5, 1e300, 0}, {-1, 1<<53 - 1, -1}, {inf, -5, 0}, {1, inf, 1},
		{-0.25, 1001, 0}, {4, 5.5, 2048}, {1e-300, 1e9, 0}, {1e300, -1e9, 0},
	} {
		if got := power(c[0], c[1]); got != c[2] {
			t.Errorf("%v ** %v is %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if got := power(-8, 1./3); got == got {
		t.Errorf("-8 ** (1/3) is %v", got)
	}
}

func TestLogarithmsNearOne(t *testing.T) {
	for _, off := range []float64{1e-15, -1e-12, 1e-9, 0.03, -0.2} {
		v := 1 + off
		natural := math.Log1p(v - 1)
		for base, got := range map[float64]float64{math.Ln2: log2(v), math.Ln10: log10(v)} {
			if want := natural / base; math.Abs(got-want) > 4*0x1p-52*math.Abs(want) {
				t.Errorf("of %v: %v, want %v", v, got, want)
			}
		}
	}
	if log2(8) != 3 || log10(1000) != 3 || log2(0.125) != -3 || !math.IsInf(log10(0), -1) {
		t.Error("powers of the base have whole logarithms")
	}
}
