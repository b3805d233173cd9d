package chart

import (
	"math"
	"testing"
)

// FuzzMarks checks that any axis has a bounded number of ticks, in order and on the axis.
func FuzzMarks(f *testing.F) {
	f.Add(0.0, 10.0, uint8(0), false, 5)
	f.Add(-180.0, 180.0, uint8(3), false, 7)
	f.Add(1e-300, 1e300, uint8(0), true, 9)
	f.Add(-6e10, 2e11, uint8(1), false, 2)
	f.Add(1.7e9, 1.7e9+1e-3, uint8(1), false, 12)
	f.Fuzz(func(t *testing.T, low, high float64, kind uint8, log bool, most int) {
		most = min(max(most, 1), 50)
		a := Axis{Low: low, High: high, Kind: Kind(kind % 4), Log: log && low > 0 && high > 0}
		ticks := a.Marks(most)
		if len(ticks) > 20*most+40 {
			t.Fatalf("%d ticks from %v to %v", len(ticks), low, high)
		}
		last := math.Inf(-1)
		for _, tick := range ticks {
			if tick.At < last {
				t.Fatalf("%v comes after %v", tick.At, last)
			}
			last = tick.At
		}
	})
}
