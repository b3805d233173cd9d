// Package summary has the statistics of arrays in the form in which they are printed.
package summary

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/ndarray"
)

// Numbers are statistics of items. Missing ones are null, and those that JSON has no number for are
// text.
type Numbers struct {
	Count int64 `json:"count"`
	NaN   int64 `json:"nan"`
	Inf   int64 `json:"inf"`
	Zeros int64 `json:"zeros"`
	Min   any   `json:"min"`
	Max   any   `json:"max"`
	Mean  any   `json:"mean"`
	Std   any   `json:"std"`
}

// Of returns the statistics of a summary.
func Of(s compute.Summary) Numbers {
	n := Numbers{Count: s.N, NaN: s.NaN, Inf: s.Inf, Zeros: s.Zeros, Min: item.Value(s.Min), Max: item.Value(s.Max)}
	if s.Moments.N > 0 {
		n.Mean = item.Value(s.Moments.Mean)
		n.Std = item.Value(s.Std())
	}
	return n
}

// A Histogram counts items in bins of equal width.
type Histogram struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Counts []int64 `json:"counts"`
}

// HistogramOf counts the items of an array, whose summary is known.
func HistogramOf(ctx context.Context, src ndarray.Source, bins int, all compute.Summary) (*Histogram, error) {
	if all.N == all.NaN {
		return nil, fmt.Errorf("a histogram needs items that are not NaN: %w", cairn.ErrBounds)
	}

	low, ok := floatOf(all.Min)
	high, also := floatOf(all.Max)

	switch {
	case !ok || !also:
		return nil, fmt.Errorf("a histogram of dtype %s is not possible: %w", src.DType(), cairn.ErrType)
	case math.IsInf(low, 0) || math.IsInf(high, 0):
		return nil, fmt.Errorf("a histogram from %v to %v is not possible: %w", low, high, cairn.ErrBounds)
	case low == high: // as NumPy
		if low, high = low-0.5, high+0.5; !(low < high) {
			return nil, fmt.Errorf("a histogram of items that are all %v is not possible: %w", low, cairn.ErrBounds)
		}
	}

	counts, err := compute.Histogram(ctx, src, bins, low, high)
	return &Histogram{low, high, counts}, err
}

// floatOf returns a number or bool as a float.
func floatOf(v any) (float64, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case ndarray.Float16:
		return float64(v.Float32()), true
	}

	switch v := reflect.ValueOf(v); {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}
