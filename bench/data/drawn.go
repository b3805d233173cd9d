package data

import (
	"math"
	"math/rand/v2"
)

// A recipe makes an array of about count items; its parameters are drawn.
type recipe func(rng *rand.Rand, count int) *Set

// Drawn returns kinds whose parameters are drawn from a seed: how smooth, noisy, sparse or rounded
// the items are, how large the structures, and of which type. Nobody can have tuned for a seed that
// is new.
func Drawn(seed uint64) []Kind {
	var out []Kind
	for _, family := range []struct {
		name, text string
		types      []string // NumPy's; one is drawn
		draw       func(rng *rand.Rand, dtype string) recipe
	}{
		{"model", "a volume of a model: rounded, or full mantissas", []string{"<f4", "<f4", "<f8"}, drawModel},
		{"scan", "a volume of a detector with noise", []string{"<u2", "<i2"}, drawScan},
		{"rain", "precipitation: clusters of rounded numbers between zeros", []string{"<f4"}, drawRain},
		{"sheet", "a light sheet: Poisson noise of cells on a background", []string{"<u2"}, drawSheet},
		{"counts", "sparse counts, made dense", []string{"<i4", "<u2"}, drawCounts},
		{"orbits", "chaotic trajectories", []string{"<f8", "<f4"}, drawOrbits},
		{"quotes", "prices in ticks, several columns", []string{"<f8", "<i8"}, drawQuotes},
		{"times", "timestamps with jitter and gaps", []string{"<i8"}, drawTimes},
		{"classes", "a map of categories", []string{"|u1", "<u2", "<i4"}, drawClasses},
		{"picture", "flat and textured pieces, with noise", []string{"|u1", "<u2"}, drawPicture},
		{"sensors", "columns with digits and gaps of their own", []string{"<f4", "<f8"}, drawSensors},
		{"mask", "blobs of ones", []string{"|u1"}, drawMask},
	} {
		// Each family has numbers of its own, so that another one more changes none of the others.
		rng := rand.New(rand.NewPCG(seed, nameHash(family.name)))
		dtype := pick(rng, family.types...)
		draw := family.draw(rng, dtype)

		size := int(dtype[2] - '0')
		items := func(rng *rand.Rand, bytes int) *Set { return draw(rng, bytes/size) }
		out = append(out, Kind{Name: family.name + "." + dtype[1:], Text: family.text, salt: seed, items: items})
	}
	return out
}

// within returns a number from low up to high.
func within(rng *rand.Rand, low, high float64) float64 {
	return low + float64((high-low)*rng.Float64())
}

// pick returns one of some values.
func pick[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }

// volume returns three sides for at most count items; flat is how much shorter the first one is.
func volume(count int, flat float64) []int {
	side := max(1, int(math.Cbrt(float64(count)*flat)))
	first := max(1, count/side/side)
	return []int{first, side, max(1, count/first/side)}
}

// poisson returns a number of a Poisson distribution, of the normal one where the mean is large.
func poisson(rng *rand.Rand, mean float64) float64 {
	if mean > 30 {
		return max(0, math.Floor(mean+float64(math.Sqrt(mean)*normal(rng))+0.5))
	}
	n := 0.0
	p := rng.Float64()
	for limit := exp(-mean); p > limit; n++ {
		p *= rng.Float64()
	}
	return n
}

// rounded rounds to a multiple of 1/steps, or not at all if steps is 0.
func rounded(v, steps float64) float64 {
	if steps == 0 {
		return v
	}
	return math.Round(v*steps) / steps
}

// putter returns the function that stores items of a type, and keeps them in its range.
func putter(dtype string) func(b []byte, v float64) {
	switch dtype {
	case "<f4":
		return putF4
	case "<f8":
		return putF8
	case "<i2":
		return func(b []byte, v float64) { putI2(b, min(max(v, -32768), 32767)) }
	case "<u2":
		return func(b []byte, v float64) { putU2(b, min(max(v, 0), 65535)) }
	case "<i4":
		return putI4
	case "<i8":
		return putI8
	default:
		return putU1
	}
}
