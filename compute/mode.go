package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// Mode returns the most frequent items, the least of them if there are several, as
// scipy.stats.mode does. The items must be real numbers or bools and are compared as float64. If
// any item is NaN, so is the result, unless SkipNaN is set. For no items the error matches
// [cairn.ErrBounds]. The items of one result must fit into half of Memory, otherwise the error
// matches [cairn.ErrLimit].
func Mode(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[float64], error) {
	if o == nil {
		o = &Options{}
	}
	return sorted(ctx, "mode", src, &quantiles{mode: true}, o)
}

func namedMode(ctx context.Context, c reduceCall) (*ndarray.Untyped, error) {
	return untyped(Mode(ctx, c.src, &c.o))
}

func errModeMemory(bytes int64) error {
	return fmt.Errorf("the mode of items that take %d bytes as float64, for which there is not enough memory; "+
		"allow more: %w", bytes, cairn.ErrLimit)
}

// modeOf returns the most frequent number of at least one, which it sorts.
func modeOf(numbers []float64) float64 {
	slices.Sort(numbers)
	best := numbers[0]
	most := 0
	for first := 0; first < len(numbers); {
		next := first + 1
		for next < len(numbers) && numbers[next] == numbers[first] {
			next++
		}
		if next-first > most {
			most = next - first
			best = numbers[first]
		}
		first = next
	}
	return best
}
