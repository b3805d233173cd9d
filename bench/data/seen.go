package data

import (
	"math"
	"math/rand/v2"
)

// photo lets shaded discs and bars of all sizes hide each other, as things do in photographs. Each
// has a color, a texture of its own strength, and the camera adds noise.
func photo(rng *rand.Rand, size int) *Set {
	h, w := grid(size/3, 2, 3)
	texture := newFractal(rng, 40, 2, 0.75)
	top := things(rng, h, w)
	fine := make([]float64, w)
	return rows("|u1", []int{h, w, 3}, func(at []int, v []float64) {
		y := at[0]
		x := at[1]
		if x == 0 {
			texture.row(fine, 0, float64(y))
		}
		t := top[y*w+x]
		shade := float64(t.rough*fine[x]) + float64(t.slope*float64(x-y))
		light := normal(rng)
		for c := range v {
			v[c] = t.color[c] + shade + float64(1.5*light) + float64(1.2*normal(rng))
		}
	}, putU1)
}

type thing struct {
	color        [3]float64
	rough, slope float64
}

// things returns the uppermost thing at each place of a picture.
func things(rng *rand.Rand, h, w int) []*thing {
	top := make([]*thing, h*w)
	paint := func(t *thing, y0, y1, x0, x1 int, inside func(dy, dx int) bool) {
		for y := max(y0, 0); y < min(y1, h); y++ {
			for x := max(x0, 0); x < min(x1, w); x++ {
				if inside(y-(y0+y1)/2, x-(x0+x1)/2) {
					top[y*w+x] = t
				}
			}
		}
	}

	for n := range 600 {
		gray := float64(30 + rng.IntN(190))
		t := &thing{rough: float64(rng.IntN(30)), slope: float64(rng.IntN(9)-4) / 100}
		for c := range t.color {
			t.color[c] = gray + float64(rng.IntN(61)-30)
		}
		if n == 0 { // the background
			paint(t, 0, h, 0, w, func(int, int) bool { return true })
			continue
		}

		r := min(3+int(float64(h)/(2+float64(rng.IntN(60)))), h/3+1)
		y := rng.IntN(h)
		x := rng.IntN(w)
		if n%3 == 0 {
			long := r * (1 + rng.IntN(4))
			paint(t, y-r, y+r, x-long, x+long, func(int, int) bool { return true })
		} else {
			paint(t, y-r, y+r, x-r, x+r, func(dy, dx int) bool { return dy*dy+dx*dx < r*r })
		}
	}
	return top
}

// particles are the coordinates of a simulation: halos of all sizes in a box of 100, in the order
// of their halos.
func particles(rng *rand.Rand, size int) *Set {
	var center [3]float64
	radius := 0.0
	left := 0
	return rows("<f4", []int{max(1, size/12), 3}, func(at []int, v []float64) {
		if left == 0 {
			left = 20 + int(2000/(1+float64(rng.IntN(60))))
			radius = math.Sqrt(float64(left)) / 40
			for i := range center {
				center[i] = float64(100 * rng.Float64())
			}
		}
		left--
		far := rng.Float64() * radius
		for i := range v {
			p := center[i] + float64(far*normal(rng))
			v[i] = p - float64(100*math.Floor(p/100)) // the box is periodic
		}
	}, putF4)
}

// elevation is terrain that is rough where it is high, and the sea.
func elevation(rng *rand.Rand, size int) *Set {
	h, w := grid(size/2, 1, 1)
	f := newFractal(rng, 700, 2, 0.47)
	hills := newFractal(rng, 90, 2, 0.5)
	ridges := make([]float64, w)
	return rows("<i2", []int{h, w}, func(at []int, v []float64) {
		f.row(v, 0, float64(at[0]))
		hills.row(ridges, 0, float64(at[0]))
		for i := range v {
			base := v[i] + 0.35
			v[i] = max(0, float64(1500*base)+float64(450*max(base, 0)*(1-math.Abs(ridges[i]))))
		}
	}, putI2)
}

// genes are counts of molecules: every gene has its own level, most are rarely seen, and samples
// differ in depth.
func genes(rng *rand.Rand, size int) *Set {
	h, w := grid(size/4, 1, 4)
	level := make([]float64, w)
	for i := range level {
		level[i] = float64(2.2*normal(rng)) - 1
	}
	return rows("<i4", []int{h, w}, func(at []int, v []float64) {
		depth := 0.5 * normal(rng)
		for i := range v {
			v[i] = math.Floor(exp(level[i]+depth+float64(0.6*normal(rng))) + rng.Float64())
		}
	}, putI4)
}

// spectra have the same lines, stronger and weaker, shifted a little, on a sloping baseline.
func spectra(rng *rand.Rand, size int) *Set {
	const channels, lines = 2048, 40
	var place, strength, width [lines]float64
	for i := range lines {
		place[i] = channels * rng.Float64()
		strength[i] = 1 / (0.02 + rng.Float64())
		width[i] = 2 + float64(6*rng.Float64())
	}

	drift := newFractal(rng, 60, 8, 0.5)
	moved := make([]float64, lines)
	return rows("<f8", []int{max(1, size/8/channels), channels}, func(at []int, v []float64) {
		drift.row(moved, 0, float64(at[0]))
		for i := range v {
			v[i] = 3 + float64(i)/channels + float64(0.01*normal(rng))
		}

		for n := range lines {
			s := strength[n] * (1 + moved[n]/2)
			p := place[n] + 2*moved[(n+1)%lines]
			for i := range v {
				far := (float64(i) - p) / width[n]
				v[i] += s / (1 + float64(far*far))
			}
		}
	}, putF8)
}

// oneHot are categories that stay for a while, one column each.
func oneHot(rng *rand.Rand, size int) *Set {
	const classes = 32
	class := 0
	return rows("|u1", []int{max(1, size/classes), classes}, func(_ []int, v []float64) {
		if rng.IntN(6) == 0 {
			class = min(rng.IntN(classes), rng.IntN(classes)) // low ones are more frequent
		}
		clear(v)
		v[class] = 1
	}, putU1)
}
