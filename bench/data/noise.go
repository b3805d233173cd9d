package data

import (
	"math"
	"math/rand/v2"
)

// normal returns a number of about the standard normal distribution: a sum of twelve uniform ones.
func normal(rng *rand.Rand) float64 {
	sum := uint64(0)
	for range 3 {
		u := rng.Uint64()
		sum += u&0xffff + u>>16&0xffff + u>>32&0xffff + u>>48
	}
	return float64(sum)/65536 - 6
}

// sine returns the sine of a number of whole turns.
func sine(turns float64) float64 {
	x := 4 * (turns - math.Floor(turns)) // quarters
	sign := 1.0
	if x >= 2 {
		x = x - 2
		sign = -1
	}
	if x > 1 {
		x = 2 - x
	}
	x *= math.Pi / 2
	x2 := x * x
	term := x
	sum := x
	for n := 2.0; n < 16; n += 2 {
		term *= -x2 / (n * (n + 1))
		sum += float64(term)
	}
	return sign * sum
}

// exp returns e to the power of x, for x of moderate size.
func exp(x float64) float64 {
	x /= 4096
	y := 1 + x + float64(x*x)/2
	for range 12 {
		y *= y
	}
	return y
}

// mix returns the bits of x, well mixed.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A fractal is a smooth random field with structure at several scales: octaves of value noise.
type fractal struct {
	seed    uint64
	octaves []octave
	lattice []float64
}

type octave struct{ wave, amplitude float64 }

// newFractal returns a field whose structures are from longest down to shortest items wide. The
// amplitude is 1 for the longest, and falls by the factor keep from each octave to the next.
func newFractal(rng *rand.Rand, longest, shortest, keep float64) *fractal {
	f := &fractal{seed: rng.Uint64()}
	for wave, a := longest, 1.0; wave >= shortest; wave, a = wave/2.1, a*keep {
		f.octaves = append(f.octaves, octave{wave, a})
	}
	return f
}

// row sets v to the field along the last axis, at the coordinates z and y.
func (f *fractal) row(v []float64, z, y float64) {
	clear(v)
	for n, o := range f.octaves {
		f.cut(n, z/o.wave, y/o.wave, int(float64(len(v))/o.wave)+2)
		for i := range v {
			x := float64(i) / o.wave
			k := int(x)
			v[i] += float64(o.amplitude * between(f.lattice[k], f.lattice[k+1], x-float64(k)))
		}
	}
}

// cut computes count points along the last axis of the lattice of octave n.
func (f *fractal) cut(n int, z, y float64, count int) {
	f.lattice = f.lattice[:0]
	iz := math.Floor(z)
	iy := math.Floor(y)
	at := func(dz, dy, x int) float64 {
		h := mix(f.seed + uint64(n))
		for _, c := range [3]int{int(iz) + dz, int(iy) + dy, x} {
			h = mix(h ^ uint64(c))
		}
		return float64(int64(h)>>11) / (1 << 52)
	}
	for x := range count {
		front := between(at(0, 0, x), at(0, 1, x), y-iy)
		rear := between(at(1, 0, x), at(1, 1, x), y-iy)
		f.lattice = append(f.lattice, between(front, rear, z-iz))
	}
}

// between blends smoothly from a to b as t goes from 0 to 1.
func between(a, b, t float64) float64 {
	t = t * t * (3 - 2*t)
	return a + float64((b-a)*t)
}
