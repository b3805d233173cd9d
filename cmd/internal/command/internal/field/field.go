// Package field generates the daily temperature of a planet: warm tropics, seasons that lag behind
// the sun and are stronger inland, cold mountains, weather that drifts eastwards, and a slow
// warming. It is a demonstration, not a model: plausible, smooth where nature is smooth and rough
// where it is rough, and the same on every run.
package field

import "math"

// YearLength is the number of days after which the seasons repeat.
const YearLength = 365.25

// precision is the number of steps that a degree is rounded to: enough for any thermometer.
const precision = 64

// Field is the temperature at 2 m above ground for every cell of a regular grid and any day. It can
// be used concurrently.
type Field struct {
	lats, lons int
	sinLat     []float64 // of each row's centre, north first
	cosLat     []float64
	elevation  []float32

	mean []float32 // of the year, in °C
	// the yearly cycle as two waves: together they give its strength and its lag
	cosine      []float32
	sine        []float32
	variability []float32 // strength of the weather, in K
	weather     weather
}

// New returns the field of a planet on a grid; both extents are at least 4.
func New(lats, lons int, seed uint64) *Field {
	f := &Field{lats: lats, lons: lons}
	for row := range lats {
		lat := (0.5 - (float64(row)+0.5)/float64(lats)) * math.Pi
		f.sinLat = append(f.sinLat, math.Sin(lat))
		f.cosLat = append(f.cosLat, math.Cos(lat))
	}
	f.elevation = f.relief(mix(seed))
	f.climate(noise{mix(seed + 1)})
	f.weather = newWeather(f, mix(seed+2))
	return f
}

// Elevation returns the height of each cell above the sea in kilometres, rows from north to south,
// each from 180° W eastwards; the sea is below zero. The caller must not change it.
func (f *Field) Elevation() []float32 { return f.elevation }

// eachCell calls do with the point on the unit sphere of every cell.
func (f *Field) eachCell(do func(i int, x, y, z float64)) {
	for col := range f.lons {
		lon := ((float64(col)+0.5)/float64(f.lons) - 0.5) * 2 * math.Pi
		c, s := math.Cos(lon), math.Sin(lon)
		for row := range f.lats {
			do(row*f.lons+col, f.cosLat[row]*c, f.cosLat[row]*s, f.sinLat[row])
		}
	}
}

// climate fills in what does not change from day to day.
func (f *Field) climate(currents noise) {
	inland := f.continentality()
	n := len(inland)
	f.mean, f.cosine, f.sine, f.variability = make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	f.eachCell(func(i int, x, y, z float64) {
		polar := math.Abs(z) // sine of the latitude
		land := inland[i]
		height := float64(max(0, f.elevation[i]))

		mean := 28 - 40*math.Pow(polar, 2.4) - 6.0*height
		// warm and cold currents
		mean += (1 - land) * 2.5 * currents.fractal(3, 1.7*x, 1.7*y, 1.7*z)
		// deserts of the subtropics
		mean += land * 3.5 * math.Exp(-(polar-0.42)*(polar-0.42)/0.02)
		mean -= land * 7 * math.Exp(-(1-polar)*(1-polar)/0.02) // ice sheets
		f.mean[i] = float32(mean)

		strength := math.Pow(polar, 1.2) * (4.5 + 14.5*land)
		peak := 236 - 38*land // the sea is warmest in late August, the land in mid-July
		if z < 0 {
			peak += YearLength / 2
		}
		s, c := math.Sincos(2 * math.Pi * peak / YearLength)
		f.cosine[i], f.sine[i] = float32(strength*c), float32(strength*s)

		storms := math.Exp(-(polar - 0.78) * (polar - 0.78) / 0.06) // the tracks of the lows
		f.variability[i] = float32(1.0 + (4.5+4.0*land)*storms + 2*land*polar)
	})
}

// Scratch is the memory that Fill works in. Its zero value is ready to use, by one goroutine at a
// time.
type Scratch struct {
	coarse, rows, fine []float32
}

// Fill writes one day into dst: a temperature in °C for every cell, north-west first. Day 0 is a 1
// January.
func (f *Field) Fill(dst []float32, day int, s *Scratch) {
	fine := f.weather.fill(day, s)
	sine64, cosine64 := math.Sincos(2 * math.Pi * float64(day) / YearLength)
	sine, cosine := float32(sine64), float32(cosine64)
	years := float64(day) / YearLength
	slow := float32(0.035*years + 0.15*math.Sin(2*math.Pi*years/3.7))
	for i := range dst[:len(fine)] {
		// Add noise for differences between neighbouring places that no grid resolves.
		h := mix(uint64(day)<<32 | uint64(i))
		rough := float32(int32(h&0xffff)+int32(h>>16&0xffff)-0xffff) * (0.18 / 0x10000)
		t := f.mean[i] + slow + f.cosine[i]*cosine + f.sine[i]*sine + f.variability[i]*fine[i] + rough
		dst[i] = float32(math.Round(float64(t)*precision)) / precision
	}
}
