package result

import (
	"math"
	"slices"
)

// A Spread is the median of some values and the range they fall in.
type Spread struct{ Median, Low, High float64 }

// SpreadOf returns the spread of values, zero if there are none. It does not sort values in place.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	s := slices.Sorted(slices.Values(values))
	mid := s[len(s)/2]
	if len(s)%2 == 0 {
		mid = (s[len(s)/2-1] + mid) / 2
	}
	return Spread{mid, s[0], s[len(s)-1]}
}

// GeoMean returns the geometric mean, in which ratios of 2 and 1/2 cancel out, or NaN without
// values.
func GeoMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
