package compute

import (
	"slices"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestProgressOfPasses checks that reductions and maps report their progress, and not that
// of the reads and writes within.
func TestProgressOfPasses(t *testing.T) {
	a, err := ndarray.FromFunc(t.Context(), "", ndarray.Shape{64, 64}, func(at []int64) int32 { return int32(at[0] * at[1]) }, &ndarray.Options{ChunkShape: ndarray.Shape{16, 32}})
	if err != nil {
		t.Fatal(err)
	}
	var told []int64
	ctx := ndarray.WithProgress(t.Context(), func(done, total int64) { told = append(told, done, total) })
	all := func(total int64) []int64 {
		var want []int64
		for i := range total {
			want = append(want, i+1, total)
		}
		return want
	}
	if _, err := Map(ctx, "", a, func(dst []int64, x []int32) {
		for i, v := range x {
			dst[i] = 2 * int64(v)
		}
	}, nil); err != nil || !slices.Equal(told, all(8)) {
		t.Errorf("map told %v: %v", told, err)
	}
	told = nil
	if _, err := Max[int32](ctx, a, Over(1)); err != nil || len(told) < 2 || !slices.Equal(told, all(told[1])) {
		t.Errorf("maxima told %v: %v", told, err)
	}
}
