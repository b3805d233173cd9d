package compute

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/ndarray"
)

// Histogram counts items in bins of equal width between low and high. Each bin includes its lower
// edge, and the last one also high. Items outside and NaN are not counted. An item within rounding
// error of an edge is compared with the edge as NumPy computes it: low + k·(high−low)/bins.
func Histogram(ctx context.Context, src ndarray.Source, bins int, low, high float64) ([]int64, error) {
	f, err := familyOf(src, "histogram")
	if err != nil {
		return nil, err
	}
	if f.histogram == nil {
		return nil, typeError("histogram", src.DType())
	}
	return f.histogram(ctx, src, bins, low, high)
}

func (n numbers[S, T]) histogram(ctx context.Context, src ndarray.Source, bins int,
	low, high float64) ([]int64, error) {
	if bins < 1 || !(low < high) || math.IsInf(high-low, 0) {
		return nil, errkind.Invalid(fmt.Errorf("histogram of %d bins from %v to %v: %w", bins, low, high, cairn.ErrBounds))
	}

	edge := func(k int) float64 {
		if k == bins {
			return high
		}
		return low + float64(float64(k)*((high-low)/float64(bins)))
	}

	// Rounding may put a number into the bin beside its own, so the edges decide.
	bin := func(v float64) int {
		if !(v >= low && v <= high) {
			return -1
		}

		k := min(int((v-low)/(high-low)*float64(bins)), bins-1)
		if v < edge(k) {
			k--
		} else if k < bins-1 && v >= edge(k+1) {
			k++
		}
		return k
	}

	f, err := n.open(ctx, src, 0)
	if err != nil {
		return nil, err
	}

	pieces, err := piecesOf(ctx, f, true)
	if err != nil {
		return nil, err
	}

	counts := make([][]int64, f.Workers())
	err = f.visit(ctx, visitor[T]{runs: pieces.count, chunks: pieces.first, block: func(b *blockValues[T]) error {
		mine := counts[b.Worker]
		if mine == nil {
			mine = make([]int64, bins)
			counts[b.Worker] = mine
		}

		if b.values == nil {
			if k := bin(float64(b.value)); k >= 0 {
				mine[k] += pieces.items(b.Run, b.Items())
			}
			return nil
		}

		for _, v := range b.values {
			if k := bin(float64(v)); k >= 0 {
				mine[k]++
			}
		}
		return nil
	}})

	total := make([]int64, bins)
	for _, mine := range counts {
		for k, n := range mine {
			total[k] += n
		}
	}
	return total, err
}
