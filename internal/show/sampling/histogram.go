package sampling

import (
	"context"
	"math"

	"github.com/cairn-go/cairn/internal/slab"
)

// A Histogram counts items by value.
type Histogram struct {
	Low, High float64   // of the first and the last bar
	Counts    []float64 // of bars of equal width; the last one includes High
	NaN       int64
	Outside   int64 // below Low, above High, or infinite
}

// Extent returns the smallest and the largest finite item; NaN if there is none.
func Extent(ctx context.Context, in Input) (low, high float64, err error) {
	type extent struct{ low, high float64 }
	var parts []extent
	all := extent{math.Inf(1), math.Inf(-1)}

	w := walk{
		Input:   in,
		prepare: func(workers int) { parts = make([]extent, workers) },
		visit: func(worker int, _ slab.Box, values []float64) {
			e := extent{math.Inf(1), math.Inf(-1)}
			for _, v := range values {
				if v < e.low && !math.IsInf(v, 0) {
					e.low = v
				}
				if v > e.high && !math.IsInf(v, 0) {
					e.high = v
				}
			}
			parts[worker] = e
		},
		emit: func(worker int) {
			all.low, all.high = min(all.low, parts[worker].low), max(all.high, parts[worker].high)
		},
	}

	if err := w.run(ctx); err != nil {
		return 0, 0, err
	}

	if all.low > all.high {
		return math.NaN(), math.NaN(), nil
	}
	return all.low, all.high, nil
}

// Count counts the items from low to high in bars of equal width.
func Count(ctx context.Context, in Input, bars int, low, high float64) (*Histogram, error) {
	all := &Histogram{Low: low, High: high, Counts: make([]float64, bars)}
	var parts []Histogram

	w := walk{
		Input: in,
		prepare: func(workers int) {
			parts = make([]Histogram, workers)
			for i := range parts {
				parts[i].Counts = make([]float64, bars)
			}
		},
		visit: func(worker int, _ slab.Box, values []float64) {
			p := &parts[worker]
			clear(p.Counts)
			p.NaN = 0
			p.Outside = 0

			for _, v := range values {
				switch {
				case v != v:
					p.NaN++
				case !(v >= low && v <= high):
					p.Outside++
				default:
					at := (v/(high-low) - low/(high-low)) * float64(bars)
					if !(at > 0) { // also if all items are equal
						at = 0
					}
					p.Counts[min(bars-1, int(at))]++
				}
			}
		},
		emit: func(worker int) {
			p := &parts[worker]
			for i, n := range p.Counts {
				all.Counts[i] += n
			}
			all.NaN += p.NaN
			all.Outside += p.Outside
		},
	}

	if err := w.run(ctx); err != nil {
		return nil, err
	}
	return all, nil
}
