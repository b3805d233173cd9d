package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// decades marks 1, 2 and 5 of every power of ten as far as that is not too many, and writes plain numbers.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(low, high float64) []plot.Tick {
	steps := []float64{1, 2, 5}
	if math.Log10(high/low) > 3 {
		steps = []float64{1}
	}
	var out []plot.Tick
	for decade := math.Floor(math.Log10(low)); decade <= math.Ceil(math.Log10(high)); decade++ {
		for _, s := range steps {
			if v := s * math.Pow(10, decade); v >= low*0.999 && v <= high*1.001 {
				out = append(out, plot.Tick{Value: v, Label: short(v)})
			}
		}
	}
	return out
}

// short writes a number in few letters: 2 k, 1 M.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.4g M", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.4g k", v/1e3)
	}
	return fmt.Sprintf("%.4g", v)
}

// round marks about five round numbers of a linear axis.
type round struct{}

// Ticks implements plot.Ticker.
func (round) Ticks(low, high float64) []plot.Tick {
	span := (high - low) / 5
	if !(span > 0) {
		return []plot.Tick{{Value: low, Label: fmt.Sprintf("%.4g", low)}}
	}
	decade := math.Pow(10, math.Floor(math.Log10(span)))
	step := decade
	for _, s := range []float64{2, 5, 10} {
		if step < span*0.7 {
			step = s * decade
		}
	}
	var out []plot.Tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		out = append(out, plot.Tick{Value: i * step, Label: fmt.Sprintf("%.4g", i*step)})
	}
	return out
}
