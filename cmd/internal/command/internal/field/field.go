// Package field generates the daily temperature and rain of a planet: warm tropics, seasons that
// lag behind the sun and are stronger inland, cold mountains, weather that drifts eastwards, and a
// slow warming. It is a demonstration, not a model: plausible, smooth where nature is smooth and
// rough where it is rough, and the same on every run.
package field

import "math"

const (
	yearLength = 365.25 // days after which the seasons repeat
	precision  = 64     // steps that a degree is rounded to: enough for any thermometer

	seaLevel  = 0.1436              // above which a third of the surface lies
	driftRate = 6.5 * math.Pi / 180 // of the weather eastwards, per day
	coarse    = 3                   // the weather has values at every third row and column
)

// Field is the temperature at 2 m above ground, and the rain, for every cell of a regular grid and
// any day. It can be used concurrently.
type Field struct {
	lats, lons int
	weather    noise
	clouds     noise
	elevation  []float32
	climate    []climate
}

// A climate is what does not change from day to day in a cell.
type climate struct {
	mean         float64 // of the year, in °C
	cosine, sine float64 // of the yearly cycle: together they give its strength and its lag
	variability  float64 // strength of the weather, in K
	wet          float64 // more rain where it is above 0
}

// New returns the field of a planet on a grid; both extents are multiples of 3.
func New(lats, lons int, seed uint64) *Field {
	f := &Field{lats: lats, lons: lons, weather: noise(mix(seed + 2)), clouds: noise(mix(seed + 3))}
	currents := noise(mix(seed + 1))
	for row := range lats {
		for col := range lons {
			x, y, z := f.point(float64(row)+0.5, float64(col)+0.5)
			height, land := relief(noise(mix(seed)), x, y, z)
			f.elevation = append(f.elevation, float32(height))
			f.climate = append(f.climate, climateOf(z, max(0, height), land, currents.fractal(3, 1.7*x, 1.7*y, 1.7*z)))
		}
	}
	return f
}

// Elevation returns the height of each cell above the sea in kilometres, rows from north to south,
// each from 180° W eastwards; the sea is below zero. The caller must not change it.
func (f *Field) Elevation() []float32 { return f.elevation }

// point returns the point on the unit sphere of a place on the grid, whose origin is north-west.
func (f *Field) point(row, col float64) (x, y, z float64) {
	z, r := math.Sincos((0.5 - row/float64(f.lats)) * math.Pi)
	y, x = math.Sincos((col/float64(f.lons) - 0.5) * 2 * math.Pi)
	return r * x, r * y, z
}

// relief returns the elevation of a point in kilometres, below zero in the sea, and how far it is
// from the sea's influence, from 0 in the ocean to 1 inland.
func relief(n noise, x, y, z float64) (height, land float64) {
	// Displacing the point before looking up its height gives capes and bays instead of round
	// blobs.
	warp := n + 1
	mountains := n + 2
	wx := x + 0.35*warp.fractal(3, 2*x, 2*y, 2*z)
	wy := y + 0.35*warp.fractal(3, 2*y+7, 2*z, 2*x)
	wz := z + 0.35*warp.fractal(3, 2*z-9, 2*x, 2*y)
	height = n.fractal(6, 1.35*wx, 1.35*wy, 1.35*wz) - seaLevel
	land = min(1, max(0, 0.4+2.4*height))
	if height <= 0 {
		return 6 * height, land
	}

	// Mountain ranges follow the zeros of one noise, where another noise allows them. They rise
	// inland, not at the coast.
	crest := max(0, 1-3*math.Abs(mountains.fractal(4, 1.6*wx, 1.6*wy, 1.6*wz)))
	ridge := crest * min(1, max(0, 0.35+2.2*mountains.fractal(2, 1.1*z-3, 1.1*x, 1.1*y)))
	return 0.9*height + 4.5*min(1, height/0.25)*ridge*math.Sqrt(ridge), land
}

// climateOf returns the climate at the sine of a latitude.
func climateOf(z, height, land, current float64) climate {
	polar := math.Abs(z)
	hump := func(at, width float64) float64 { return math.Exp(-(polar - at) * (polar - at) / width) }
	mean := 28 - 40*math.Pow(polar, 2.4) - 6*height
	mean += (1 - land) * 2.5 * current
	mean += land * 3.5 * hump(0.42, 0.02) // deserts of the subtropics
	mean -= land * 7 * hump(1, 0.02)      // ice sheets

	strength := math.Pow(polar, 1.2) * (4.5 + 14.5*land)
	peak := 236 - 38*land // the sea is warmest in late August, the land in mid-July
	if z < 0 {
		peak += yearLength / 2
	}
	s, c := math.Sincos(2 * math.Pi * peak / yearLength)

	storms := (4.5 + 4*land) * hump(0.78, 0.06) // the tracks of the lows
	return climate{mean, strength * c, strength * s, 1 + storms + 2*land*polar, 0.8*current - 0.3*height}
}

// Fill writes one day into dst: a temperature in °C for every cell, north-west first. Day 0 is a 1
// January.
func (f *Field) Fill(dst []float32, day int) {
	weather := f.systems(f.weather, day, coarse)
	sine, cosine := math.Sincos(2 * math.Pi * float64(day) / yearLength)
	years := float64(day) / yearLength
	slow := 0.035*years + 0.15*math.Sin(2*math.Pi*years/3.7)

	for row := range f.lats {
		// The weather along a row, at every third column and around the globe.
		lons := f.lons / coarse
		north, south := place(row)
		upper := weather[max(0, north-1)*lons:][:lons]
		lower := weather[min(f.lats/coarse-1, north)*lons:][:lons]
		line := make([]float64, lons+2)
		for i := range line {
			k := (i + lons - 1) % lons
			line[i] = lerp(south, upper[k], lower[k])
		}

		for col := range f.lons {
			i := row*f.lons + col
			// Add noise for differences between neighbouring places that no grid resolves.
			h := mix(uint64(day)<<32 | uint64(i))
			rough := float64(int32(h&0xffff)+int32(h>>16&0xffff)-0xffff) * (0.18 / 0x10000)

			w, east := place(col)
			c := &f.climate[i]
			t := c.mean + slow + c.cosine*cosine + c.sine*sine + c.variability*lerp(east, line[w], line[w+1]) + rough
			dst[i] = float32(math.Round(t*precision) / precision)
		}
	}
}

// Rain writes one day into dst: the precipitation in mm for every cell, in the order of Fill. Most
// falls near the equator, north of it in July and south of it in January, and least beside the
// tropics and at the poles.
func (f *Field) Rain(dst []float32, day int) {
	clouds := f.systems(f.clouds, day, 1)
	season := math.Cos(2 * math.Pi * (float64(day) - 200) / yearLength)

	for row := range f.lats {
		_, _, z := f.point(float64(row)+0.5, 0)
		belt := math.Exp(-(z - 0.15*season) * (z - 0.15*season) / 0.03)
		storms := math.Exp(-(math.Abs(z) - 0.75) * (math.Abs(z) - 0.75) / 0.03)

		for col := range f.lons {
			i := row*f.lons + col
			wet := clouds[i] + f.climate[i].wet + 0.6*belt + 0.3*storms - 0.2
			fall := 14 * wet * (0.12 + belt + 0.5*storms)
			dst[i] = float32(math.Round(max(0, fall)*precision) / precision)
		}
	}
}

// systems returns the highs and lows of a day at every so many rows and columns, of about unit
// variance: noise on the sphere that drifts eastwards and changes while it does. The sphere moves
// through a solid block of noise, a little further every day.
func (f *Field) systems(n noise, day, step int) []float64 {
	t := float64(day)
	turn := driftRate * t / (2 * math.Pi) * float64(f.lons)

	var values []float64
	half := float64(step) / 2
	for row := 0; row < f.lats; row += step {
		for col := 0; col < f.lons; col += step {
			x, y, z := f.point(float64(row)+half, float64(col)+half-turn)

			sum := 0.0
			scale := 2.6
			height := 1.9
			for octave := range 3 {
				// Small systems live for a shorter time: each octave moves in proportion to its
				// size.
				shift := 0.16*t + 31.7*float64(octave)
				sum += height * n.at(scale*x+shift, scale*y+0.6*shift, scale*z-0.4*shift)
				scale *= 2
				height *= 0.65
			}
			values = append(values, sum)
		}
	}
	return values
}

// place returns where a row or column of the grid lies on the coarse one: behind which of its rows
// or columns, counted from 1, and how far.
func place(i int) (behind int, by float64) {
	return (i + coarse - 1) / coarse, float64((i+coarse-1)%coarse) / coarse
}
