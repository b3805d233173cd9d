package viewing

import (
	"context"
	"math"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/ndarray"
)

// What is looked at of integers, to tell whether they are labels.
const (
	sampleRuns  = 64
	sampleItems = 256      // of a run along the last dimension
	sampleBytes = 16 << 20 // decoded, if blocks are not larger
	mostLabels  = 32
)

// Single reports whether a picture shows single items where it has no room for all of them, because
// the mean of some would be none of them: bools, dates, numbers that attributes name as flags, and
// integers that look like labels. These have at most 32 different values in a sample of the array,
// or at least 19 of 20 are equal to their neighbours. src has the items or the values.
func Single(ctx context.Context, src ndarray.Source, m *cf.Meaning) (bool, error) {
	items, err := govalue.FloatsOf(m.Items)
	switch {
	case err != nil:
		return false, nil
	case items.Bools(), items.Dates(), m.Time != nil, len(m.Flags) > 0:
		return true, nil
	case !items.Whole(), m.Packing != nil:
		return false, nil
	}
	return labels(ctx, src)
}

// labels reports whether numbers look like labels.
func labels(ctx context.Context, src ndarray.Source) (bool, error) {
	shape := src.Shape()
	d := src.DType()
	floats, err := govalue.FloatsOf(d)
	if err != nil || len(shape) == 0 {
		return false, nil
	}

	width := min(shape[len(shape)-1], sampleItems)
	raw := make([]byte, width*int64(d.Size()))
	values := make([]float64, width)

	seen := map[float64]bool{}
	items := 0
	pairs := 0
	equal := 0

	for run := range runsOf(src) {
		start := place(shape, run, width)
		if start == nil {
			return false, nil
		}

		stop := make([]int64, len(start))
		for i, at := range start {
			stop[i] = at + 1
		}
		stop[len(stop)-1] += width - 1
		if err := src.ReadBytes(ctx, raw, start, stop); err != nil {
			return false, err
		}

		floats.Convert(values, raw)
		for i, v := range values {
			if v != v { // missing
				continue
			}
			seen[v] = true
			items++
			if i > 0 {
				pairs++
			}
			if i > 0 && v == values[i-1] {
				equal++
			}
		}
	}

	few := len(seen) <= mostLabels && items >= 8*len(seen)
	return len(seen) > 1 && (few || pairs > 0 && 20*equal >= 19*pairs), nil
}

// runsOf returns how many runs are read: fewer if blocks are large.
func runsOf(src ndarray.Source) int {
	chunks, blocks := src.Grid()
	if blocks == nil {
		blocks = chunks
	}

	bytes := float64(src.DType().Size())
	for _, n := range blocks {
		bytes *= float64(n)
	}
	return int(max(1, min(sampleRuns, sampleBytes/max(1, bytes))))
}

// place returns where a run begins; the places are spread over the array. It returns nil if there
// are no items.
func place(shape ndarray.Shape, run int, width int64) []int64 {
	start := make([]int64, len(shape))
	for i, n := range shape {
		if n == 0 {
			return nil
		}

		// fractions of multiples of an irrational number are spread evenly
		share := math.Mod((float64(run)+0.5)*math.Sqrt(float64(2+3*i)), 1)
		start[i] = int64(share * float64(n))
	}

	last := len(shape) - 1
	start[last] = min(start[last], shape[last]-width)
	return start
}
