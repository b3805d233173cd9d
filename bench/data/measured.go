package data

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// temperature has weather that moves slowly, warm tropics, and days as eight steps each.
func temperature(rng *rand.Rand, size int) *Set {
	side := math.Cbrt(float64(size / 4))
	ny := max(1, int(0.75*side))
	nx := max(1, int(1.33*side))
	weather := newFractal(rng, 80, 6, 0.6)
	local := newFractal(rng, 9, 2, 0.7)
	fine := make([]float64, nx)
	return rows("<f4", []int{max(1, size/4/ny/nx), ny, nx}, func(at []int, v []float64) {
		t := float64(at[0])
		y := float64(at[1])
		weather.row(v, 3*t, y)
		local.row(fine, t, y)
		warm := sine(y / float64(2*ny))
		for i := range v {
			day := sine(t/8 + float64(i)/float64(nx))
			degrees := -20 + float64(45*warm) + float64(3*day) + float64(7*v[i])
			v[i] = math.Round((degrees+float64(0.6*fine[i])+float64(0.05*normal(rng)))*100) / 100
		}
	}, putF4)
}

// turbulence has structure down to two items and no noise: like pressure or velocity in a model.
func turbulence(rng *rand.Rand, size int) *Set {
	f := newFractal(rng, 150, 2, 0.45)
	return rows("<f4", box(size/4), func(at []int, v []float64) {
		f.row(v, float64(at[0]), float64(at[1]))
		for i := range v {
			v[i] = 1013 + float64(20*v[i])
		}
	}, putF4)
}

// tomography is an ellipse of soft tissue with bones and lungs, in air; the noise is that of a
// detector.
func tomography(rng *rand.Rand, size int) *Set {
	shape := box(size / 2)
	organs := newFractal(rng, 60, 15, 0.5)
	grain := newFractal(rng, 7, 3, 0.7)
	fine := make([]float64, shape[2])

	return rows("<u2", shape, func(at []int, v []float64) {
		z := float64(at[0])
		y := float64(at[1])
		organs.row(v, z, y)
		grain.row(fine, z, y)
		dy := 2.6*y/float64(shape[1]) - 1.3
		for i, organ := range v {
			dx := 2.2*float64(i)/float64(shape[2]) - 1.1
			r := float64(dx*dx) + float64(dy*dy)
			value := 1040 + float64(25*fine[i])
			noise := 9.0

			switch {
			case r > 1:
				value = 24
				noise = 6
			case r > 0.9:
				value = 930 // fat below the skin
			case organ > 0.75:
				value = 1500 + float64(250*fine[i])
				noise = 12
			case organ < -0.7:
				value = 180 + float64(60*fine[i])
				noise = 9
			}
			v[i] = max(value+float64(noise*normal(rng)), 0)
		}
	}, putI2)
}

// landCover is a map from satellite images: sea, and classes by height and moisture, with frayed
// borders and single fields.
func landCover(rng *rand.Rand, size int) *Set {
	h, w := grid(size, 2, 3)
	height := newFractal(rng, 400, 4, 0.5)
	moisture := newFractal(rng, 250, 6, 0.45)
	wet := make([]float64, w)

	return rows("|u1", []int{h, w}, func(at []int, v []float64) {
		y := float64(at[0])
		height.row(v, 0, y)
		moisture.row(wet, 0, y)

		for i := range v {
			class := 40 + 10*math.Floor(2.5*(wet[i]+1)) // grass to forest
			switch {
			case v[i] < -0.1:
				class = 210
			case v[i] > 0.9:
				class = 220
			case v[i] < 0.25 && mix(uint64(at[0]/9*8192+i/14))%5 == 0:
				class = 10 + float64(mix(uint64(at[0]/9*8192+i/14))>>8%3*10) // fields
			case v[i] < 0.1 && rng.IntN(300) == 0:
				class = 190
			}
			v[i] = class
		}
	}, putU1)
}

// timestamps are those of messages: a clock of its own, jitter, and now and then a gap.
func timestamps(rng *rand.Rand, size int) *Set {
	at := int64(1_700_000_000_123_456_789)
	return fill("<i8", []int{size / 8}, func(i int, b []byte) {
		at += 10_000_173
		if rng.IntN(20_000) == 0 {
			at += int64(rng.IntN(3_000_000_000))
		}
		jitter := int64(15_000*normal(rng)) + int64(rng.IntN(8)/7*rng.IntN(400_000))
		binary.LittleEndian.PutUint64(b, uint64(at+jitter))
	})
}

// prices are trades: often at the last price, else some ticks away, more in busy hours.
func prices(rng *rand.Rand, size int) *Set {
	ticks := 18_437
	busy := newFractal(rng, 50_000, 100, 0.7)
	pace := make([]float64, size/8)
	busy.row(pace, 0, 0)
	return fill("<f8", []int{size / 8}, func(i int, b []byte) {
		if spread := 1.2 + pace[i]; rng.IntN(5) > 1 {
			ticks += int(math.Round(float64(spread*normal(rng)) - float64(ticks-18_437)/40_000))
		}
		ticks = max(ticks, 1)
		putF8(b, float64(ticks)/100)
	})
}
