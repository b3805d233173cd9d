package data

import (
	"math"
	"math/rand/v2"
)

func drawModel(rng *rand.Rand, dtype string) recipe {
	longest := within(rng, 30, 250)
	shortest := within(rng, 2, 14)
	keep := within(rng, 0.35, 0.7)
	base := pick(rng, 0.0, 1013, 280, -30)
	swing := pick(rng, 1.0, 8, 25, 400)
	noise := pick(rng, 0, 0, 0.001, 0.02) * swing
	steps := pick(rng, 0, 0, 10, 100, 1000.0)
	flat := within(rng, 1, 5)
	return func(rng *rand.Rand, count int) *Set {
		f := newFractal(rng, longest, shortest, keep)
		return rows(dtype, volume(count, flat), func(at []int, v []float64) {
			f.row(v, float64(at[0]), float64(at[1]))
			for i := range v {
				value := base + float64(swing*v[i]) + float64(noise*normal(rng))
				v[i] = rounded(value, steps)
			}
		}, putter(dtype))
	}
}

func drawScan(rng *rand.Rand, dtype string) recipe {
	bits := 8 + rng.IntN(6)
	top := float64(int(1) << bits)
	noise := within(rng, 0.001, 0.02) * top
	threshold := within(rng, -0.2, 0.3)
	longest := within(rng, 30, 120)
	levels := pick(rng, 2.0, 4, 7)
	return func(rng *rand.Rand, count int) *Set {
		shapes := newFractal(rng, longest, 8, 0.5)
		grain := newFractal(rng, 9, 3, 0.6)
		sides := volume(count, 1)
		fine := make([]float64, sides[2])
		return rows(dtype, sides, func(at []int, v []float64) {
			shapes.row(v, float64(at[0]), float64(at[1]))
			grain.row(fine, float64(at[0]), float64(at[1]))
			for i := range v {
				value := float64(0.02 * top) // air
				if v[i] > threshold {
					tissue := math.Floor(float64(levels*(v[i]-threshold))) / levels
					value = float64(top*(0.3+float64(0.3*tissue))) + float64(0.02*top*fine[i])
				}
				v[i] = min(max(value+float64(noise*normal(rng)), 0), top-1)
			}
		}, putter(dtype))
	}
}

func drawRain(rng *rand.Rand, dtype string) recipe {
	longest := within(rng, 20, 150)
	dry := within(rng, 0.15, 0.5) // of the field; most of the items
	steps := pick(rng, 10.0, 10, 100, 4)
	scale := within(rng, 2, 20)
	lasts := within(rng, 1, 8) // steps in time that a cluster stays for
	return func(rng *rand.Rand, count int) *Set {
		f := newFractal(rng, longest, 3, 0.55)
		return rows(dtype, volume(count, 2), func(at []int, v []float64) {
			f.row(v, float64(at[0])*longest/lasts/8, float64(at[1]))
			for i := range v {
				wet := max(v[i]-dry, 0)
				gusts := 1 + float64(0.5*normal(rng))
				v[i] = rounded(max(float64(scale*wet*wet)*gusts, 0), steps)
			}
		}, putter(dtype))
	}
}

func drawSheet(rng *rand.Rand, dtype string) recipe {
	offset := pick(rng, 0.0, 100, 400)
	dark := within(rng, 1, 12)
	bright := within(rng, 50, 1500)
	cells := within(rng, 8, 40)
	rare := within(rng, 0.3, 0.7)
	return func(rng *rand.Rand, count int) *Set {
		f := newFractal(rng, cells, 3, 0.5)
		return rows(dtype, volume(count, 2), func(at []int, v []float64) {
			f.row(v, float64(at[0]), float64(at[1]))
			for i := range v {
				glow := max(v[i]-rare, 0)
				v[i] = offset + poisson(rng, dark+float64(bright*glow*glow))
			}
		}, putter(dtype))
	}
}

func drawCounts(rng *rand.Rand, dtype string) recipe {
	wide := pick(rng, 1.0, 2, 8)
	rare := within(rng, 1, 4)
	spread := within(rng, 0.8, 2.4)
	return func(rng *rand.Rand, count int) *Set {
		h := max(1, int(math.Sqrt(float64(count)/wide)))
		w := max(1, count/h)
		level := make([]float64, w)
		for i := range level {
			level[i] = float64(spread*normal(rng)) - rare
		}
		return rows(dtype, []int{h, w}, func(_ []int, v []float64) {
			depth := 0.5 * normal(rng)
			for i := range v {
				v[i] = poisson(rng, exp(min(level[i]+depth, 8)))
			}
		}, putter(dtype))
	}
}

func drawOrbits(rng *rand.Rand, dtype string) recipe {
	rho := within(rng, 25, 40)
	step := within(rng, 0.001, 0.02)
	many := pick(rng, 1, 16, 256)
	byTime := pick(rng, true, false)
	return func(rng *rand.Rand, count int) *Set {
		length := max(1, count/3/many)
		state := make([][3]float64, many)
		for i := range state {
			state[i] = [3]float64{within(rng, -15, 15), within(rng, -15, 15), within(rng, 10, 40)}
		}

		// A step of Euler's method in the equations of Lorenz.
		forward := func(p *[3]float64, v []float64) {
			dx := 10 * (p[1] - p[0])
			dy := float64(p[0]*(rho-p[2])) - p[1]
			dz := float64(p[0]*p[1]) - float64(8*p[2]/3)
			p[0] += float64(step * dx)
			p[1] += float64(step * dy)
			p[2] += float64(step * dz)
			copy(v, p[:])
		}

		shape := []int{many, length, 3}
		which := 0
		if byTime {
			shape = []int{length, many, 3}
			which = 1
		}
		return rows(dtype, shape, func(at []int, v []float64) { forward(&state[at[which]], v) }, putter(dtype))
	}
}
