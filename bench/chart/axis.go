package chart

import (
	"fmt"
	"math"
)

// An axis maps values in [low, high] to pixels in [from, to].
type axis struct {
	low, high float64
	log       bool
	from, to  float64
}

// at returns the pixel of a value.
func (a *axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	if high == low {
		return a.middle()
	}
	return a.from + (v-low)/(high-low)*(a.to-a.from)
}

func (a *axis) middle() float64 { return (a.from + a.to) / 2 }

// A tick is a value that the axis marks.
type tick struct {
	value float64
	label string
}

func (a *axis) ticks() []tick {
	if a.log {
		return decades(a.low, a.high)
	}
	return round(a.low, a.high)
}

// decades returns ticks at 1, 2 and 5 times every power of ten, or only at the powers if there are
// many.
func decades(low, high float64) []tick {
	steps := []float64{1, 2, 5}
	if math.Log10(high/low) > 3 {
		steps = []float64{1}
	}
	var out []tick
	for decade := math.Floor(math.Log10(low)); decade <= math.Ceil(math.Log10(high)); decade++ {
		for _, s := range steps {
			if v := s * math.Pow(10, decade); v >= low*0.999 && v <= high*1.001 {
				out = append(out, tick{v, short(v)})
			}
		}
	}
	return out
}

// short formats a number in few characters: 2 k, 1 M.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.4g M", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.4g k", v/1e3)
	}
	return fmt.Sprintf("%.4g", v)
}

// round returns about five round numbers.
func round(low, high float64) []tick {
	span := (high - low) / 5
	if !(span > 0) {
		return []tick{{low, fmt.Sprintf("%.4g", low)}}
	}
	decade := math.Pow(10, math.Floor(math.Log10(span)))
	step := decade
	for _, s := range []float64{2, 5, 10} {
		if step < span*0.7 {
			step = s * decade
		}
	}
	var out []tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		out = append(out, tick{i * step, fmt.Sprintf("%.4g", i*step)})
	}
	return out
}

// bounds returns the smallest and the largest positive value, 1 and 1 if there is none.
func bounds(rows ...[]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		for _, v := range row {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		return 1, 1
	}
	return low, high
}
