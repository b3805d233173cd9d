package data

import (
	"math"
	"math/rand/v2"
)

func drawQuotes(rng *rand.Rand, dtype string) recipe {
	steps := pick(rng, 100.0, 20, 1000)
	columns := pick(rng, 1, 2, 5)
	wild := within(rng, 0.5, 6)
	still := within(rng, 0.1, 0.7)
	start := float64(int(within(rng, 500, 90_000)))
	if dtype == "<i8" {
		steps = 1
	}
	return func(rng *rand.Rand, count int) *Set {
		ticks := start
		return rows(dtype, []int{max(1, count/columns), columns}, func(_ []int, v []float64) {
			if rng.Float64() > still {
				ticks = max(1, ticks+math.Round(float64(wild*normal(rng))))
			}
			v[0] = ticks / steps
			for i := 1; i < columns; i++ {
				v[i] = (ticks + float64(i+rng.IntN(3))) / steps
			}
		}, putter(dtype))
	}
}

func drawTimes(rng *rand.Rand, dtype string) recipe {
	unit := pick(rng, 1.0, 1000, 1_000_000)
	period := within(rng, 1e4, 1e8)
	jitter := within(rng, 0, 0.01) * period
	gaps := 100 + rng.IntN(50_000)
	return func(rng *rand.Rand, count int) *Set {
		// below 2^53, so that float64 has every tick
		at := 1.7e15
		return rows(dtype, []int{count}, func(_ []int, v []float64) {
			for i := range v {
				at += period
				if rng.IntN(gaps) == 0 {
					at += float64(float64(rng.IntN(1000)) * period)
				}
				v[i] = math.Round((at+float64(jitter*normal(rng)))/unit) * unit
			}
		}, putter(dtype))
	}
}

func drawClasses(rng *rand.Rand, dtype string) recipe {
	classes := pick(rng, 3.0, 8, 20, 60)
	patch := within(rng, 20, 400)
	frayed := within(rng, 1, 12)
	stray := 20 + rng.IntN(2000)
	spacing := pick(rng, 1.0, 10)
	return func(rng *rand.Rand, count int) *Set {
		h, w := grid(count, 2, 3)
		f := newFractal(rng, patch, frayed, 0.5)
		return rows(dtype, []int{h, w}, func(at []int, v []float64) {
			f.row(v, 0, float64(at[0]))
			for i := range v {
				class := math.Floor(float64(classes * min(max((v[i]+1)/2, 0), 0.999)))
				if rng.IntN(stray) == 0 {
					class = float64(rng.IntN(int(classes)))
				}
				v[i] = class * min(spacing, 255/classes)
			}
		}, putter(dtype))
	}
}

func drawPicture(rng *rand.Rand, dtype string) recipe {
	noise := within(rng, 0.2, 6)
	rough := within(rng, 2, 25)
	channels := pick(rng, 1, 3, 4)
	side := 8 + rng.IntN(120) // of blocks
	depth := 1.0
	if dtype == "<u2" {
		depth = 16
	}

	return func(rng *rand.Rand, count int) *Set {
		h, w := grid(count/channels, 2, 3)
		pieces := newFractal(rng, 60, 4, 0.6)
		salt := rng.Uint64()
		line := make([]float64, w)
		return rows(dtype, []int{h, w, channels}, func(at []int, v []float64) {
			if at[1] == 0 {
				pieces.row(line, 0, float64(at[0]))
			}

			// A block has one colour, and every other one the texture of a fractal.
			block := mix(salt + uint64(at[0]/side*65536+at[1]/side))
			light := float64(block%200) + 25
			if block>>20&1 == 1 {
				light += float64(rough * line[at[1]])
			}

			for c := range v {
				tint := float64(block>>(24+8*c)&31) - 16
				v[c] = depth * max(light+tint+float64(noise*normal(rng)), 0)
			}
		}, putter(dtype))
	}
}

func drawSensors(rng *rand.Rand, dtype string) recipe {
	type column struct{ base, moves, steps float64 }
	var columns []column
	for range 2 + rng.IntN(12) {
		columns = append(columns, column{within(rng, -50, 1500), pick(rng, 0.01, 0.3, 4),
			pick(rng, 1.0, 10, 100, 10_000, 0)})
	}
	missing := pick(rng, 0.0, 0.01, 0.2)
	none := pick(rng, -9999, math.NaN())
	return func(rng *rand.Rand, count int) *Set {
		level := make([]float64, len(columns))
		return rows(dtype, []int{max(1, count/len(columns)), len(columns)}, func(_ []int, v []float64) {
			for i, c := range columns {
				level[i] += float64(0.1*c.moves*normal(rng)) - level[i]/500
				v[i] = rounded(c.base+level[i]+float64(0.2*c.moves*normal(rng)), c.steps)
				if rng.Float64() < missing {
					v[i] = none
				}
			}
		}, putter(dtype))
	}
}

func drawMask(rng *rand.Rand, dtype string) recipe {
	size := within(rng, 6, 80)
	frayed := within(rng, 2, 6)
	part := within(rng, -0.2, 0.8)
	one := pick(rng, 1.0, 255)
	return func(rng *rand.Rand, count int) *Set {
		f := newFractal(rng, size, frayed, 0.5)
		return rows(dtype, volume(count, 2), func(at []int, v []float64) {
			f.row(v, float64(at[0]), float64(at[1]))
			for i := range v {
				if v[i] > part {
					v[i] = one
				} else {
					v[i] = 0
				}
			}
		}, putter(dtype))
	}
}
