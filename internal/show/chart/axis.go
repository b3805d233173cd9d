package chart

import "math"

// A Kind says how the values of an axis are written.
type Kind uint8

// The kinds of values. Times are seconds since 1970, and angles are degrees.
const (
	Numbers Kind = iota
	Times
	Latitudes
	Longitudes
)

// An Axis maps values to places along a line.
type Axis struct {
	Label string
	Kind  Kind
	// The values at the left and right, or bottom and top, ends. Low may be larger.
	Low, High float64
	Whole     bool   // ticks of Numbers are whole, as indexes and counts are
	Log       bool   // logarithmic, from a positive Low to a positive High
	Ticks     []Tick // instead of those that the values suggest
}

// A Tick is a marked place of an axis. One without a label has only a line.
type Tick struct {
	At    float64
	Label string
}

// Position returns the place of a value: 0 at Low, 1 at High, and NaN if it has none.
func (a *Axis) Position(v float64) float64 {
	low := a.Low
	high := a.High
	if a.Log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}

	if high == low {
		return 0.5 + (v-low)*0
	}
	return v/(high-low) - low/(high-low)
}

// Marks returns at most about most ticks with labels, in ascending order unless they are given.
func (a *Axis) Marks(most int) []Tick {
	if a.Ticks != nil {
		return a.Ticks
	}

	low := min(a.Low, a.High)
	high := max(a.Low, a.High)
	most = max(2, most)

	switch {
	case !(high > low) || math.IsInf(high-low, 0):
		return []Tick{{low, numberText(low, 0)}}
	case a.Kind == Times:
		return timeTicks(low, high, most)
	case a.Log && high/low >= 10:
		return logTicks(low, high, most)
	case a.Kind != Numbers:
		return degreeTicks(a.Kind, low, high, most)
	}

	least := 0.0
	if a.Whole {
		least = 1
	}
	return numberTicks(low, high, least, most)
}

// multiples returns the values that are multiples of a step within bounds, with some room for
// rounding.
func multiples(step, low, high float64) (values []float64) {
	const mostTicks = 1000
	slack := (high - low) * 1e-9
	first := math.Ceil((low - slack) / step)

	for i := range mostTicks {
		v := (first + float64(i)) * step
		if !(v <= high+slack) {
			break
		}
		values = append(values, v+0) // no negative zero
	}
	return values
}

// numberTicks returns multiples of 1, 2 or 5 times a power of ten, which is at least least.
func numberTicks(low, high, least float64, most int) (ticks []Tick) {
	step := max(least, roundStep((high-low)/float64(most)))
	for _, v := range multiples(step, low, high) {
		ticks = append(ticks, Tick{v, numberText(v, step)})
	}
	return ticks
}

// roundStep returns the smallest round number that is at least span.
func roundStep(span float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(span)))
	for _, s := range []float64{1, 2, 5} {
		if s*decade >= span*(1-1e-9) {
			return s * decade
		}
	}
	return 10 * decade
}

// logTicks returns powers of ten; 2 and 5 times these too, if there is room.
func logTicks(low, high float64, most int) (ticks []Tick) {
	decades := math.Log10(high / low)
	steps := []float64{1}
	if 3*decades <= float64(most) {
		steps = []float64{1, 2, 5}
	}

	every := math.Ceil(decades / float64(most))
	for d := math.Floor(math.Log10(low)); d <= math.Ceil(math.Log10(high)); d++ {
		if math.Mod(d, every) != 0 {
			continue
		}
		for _, s := range steps {
			if v := s * math.Pow(10, d); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				ticks = append(ticks, Tick{v, numberText(v, v)})
			}
		}
	}
	return ticks
}

// degreeTicks returns parts of a circle that are usual on maps.
func degreeTicks(kind Kind, low, high float64, most int) (ticks []Tick) {
	span := (high - low) / float64(most)
	step := roundStep(span)

	for _, s := range []float64{5, 10, 15, 30, 60, 90, 180} {
		if span > 2 && s >= span {
			step = s
			break
		}
	}

	for _, v := range multiples(step, low, high) {
		ticks = append(ticks, Tick{v, degreeText(kind, v, step)})
	}
	return ticks
}
