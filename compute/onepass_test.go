package compute_test

import (
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// counted returns an array of several megabytes, and a function that returns how many times each of
// its blocks has been decoded since the last call.
func counted(t *testing.T) (a ndarray.Array[int32], passes func() float64) {
	t.Helper()
	shape := ndarray.Shape{130, 140, 150}
	values := make([]int32, 130*140*150)
	for i := range values {
		values[i] = int32(i * 7 % 1000)
	}
	a, err := ndarray.FromSlice(values, shape,
		&ndarray.Options{ChunkShape: ndarray.Shape{40, 50, 60}, BlockShape: ndarray.Shape{20, 13, 15}})
	if err != nil {
		t.Fatal(err)
	}
	before := a.Stats()
	if _, err := a.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := a.Stats().Sub(before).BlocksDecoded
	before = a.Stats()
	return a, func() float64 {
		now := a.Stats()
		n := now.Sub(before).BlocksDecoded
		before = now
		return float64(n) / float64(all)
	}
}

// Reductions of expressions go over boxes of whole chunks.
func TestReductionsOfExpressionsDecodeBlocksOnce(t *testing.T) {
	a, passes := counted(t)
	for _, text := range []string{"sum(a + 1)", "max(a * a, axis=0)", "mean(a - 1, axis=(1, 2))", "std(-a, axis=2)"} {
		if _, err := compute.Calc(t.Context(), text, map[string]ndarray.Source{"a": a}, nil); err != nil {
			t.Fatal(err)
		}
		if n := passes(); n != 1 {
			t.Errorf("%s decoded each block %v times", text, n)
		}
	}
}
