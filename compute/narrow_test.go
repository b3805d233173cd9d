package compute

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestNarrowingFindsQuantiles compares with the quantiles of all items at once.
func TestNarrowingFindsQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	shape := ndarray.Shape{20, 30, 7}
	values := make([]float64, 20*30*7)
	for i := range values {
		values[i] = math.Round(rng.NormFloat64()*1e3) / 1e3
	}
	a, err := ndarray.FromSlice(values, shape, &ndarray.Options{ChunkShape: ndarray.Shape{8, 8, 7}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := castTo(t.Context(), a, "float64", nil)
	if err != nil {
		t.Fatal(err)
	}
	from, err := ndarray.ViewAs[float64](e)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []float64{0, 0.3, 0.5, 0.999, 1} {
		s := quantiles{q: q}
		want := s.quantile(slices.Clone(values))
		for _, most := range []int64{0, 3, 100} {
			n := narrowing{e: e, from: from, start: make([]int64, 3), stop: shape, most: most, workers: 2}
			if got, err := n.quantile(t.Context(), q, false); err != nil || got != want {
				t.Errorf("quantile %v is %v with %d items at a time, want %v: %v", q, got, most, want, err)
			}
		}
	}
}

// TestQuantileInBoxes shows that memory does not change the result.
func TestQuantileInBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	values := make([]float32, 20*30*7)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	values[77] = float32(math.NaN())
	a, err := ndarray.FromSlice(values, ndarray.Shape{20, 30, 7}, &ndarray.Options{ChunkShape: ndarray.Shape{8, 8, 7}})
	if err != nil {
		t.Fatal(err)
	}
	for _, axes := range [][]int{nil, {0}, {1, 2}, {0, 2}} {
		var want []float64
		for i, memory := range []int64{0, 1 << 10} {
			r, err := Quantile(t.Context(), a, 0.3, &Options{Axes: axes, Memory: memory, SkipNaN: true})
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("the quantile over %v changes with %d bytes of memory", axes, memory)
			}
		}
	}
}
