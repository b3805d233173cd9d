package viewing

import (
	"math"
	"testing"
)

// FuzzParseLimits checks that accepted limits give a scale that is not empty.
func FuzzParseLimits(f *testing.F) {
	for _, text := range []string{"", "0,1", "2%,98%", "5,", ",-7e300", "1,2,3", "%,%"} {
		f.Add(text, -3.5, 20.0)
	}
	f.Fuzz(func(t *testing.T, text string, one, other float64) {
		l, err := ParseLimits(text)
		if err != nil {
			return
		}
		for _, log := range []bool{false, true} {
			low, high := l.of([]float64{one, math.NaN(), other}, log)
			if high < low || low != low || high != high {
				t.Fatalf("%q of %v and %v: from %v to %v", text, one, other, low, high)
			}
		}
	})
}
