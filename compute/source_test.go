package compute_test

import (
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// foreign is a Source of another module.
type foreign struct{ ndarray.Source }

// TestAnySource reduces and maps an array, its Untyped, a view, and a foreign source.
func TestAnySource(t *testing.T) {
	ctx := t.Context()
	a, err := ndarray.FromSlice([]int16{3, 0, -2, 5, 0, 7}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]ndarray.Source{
		"array": a, "untyped": a.Untyped, "view": a.View(), "untyped view": a.Untyped.View(), "foreign": foreign{a},
	} {
		sum, err := compute.Value(compute.Sum[float64](ctx, src, nil))
		if err != nil || sum != 13 {
			t.Errorf("%s: the sum is %v: %v", name, sum, err)
		}
		if most, err := compute.Value(compute.ArgMax(ctx, src, nil)); err != nil || most != 5 {
			t.Errorf("%s: the greatest is number %v: %v", name, most, err)
		}
		if most, err := compute.Value(compute.Max[int16](ctx, src, nil)); err != nil || most != 7 {
			t.Errorf("%s: the greatest is %v: %v", name, most, err)
		}
		s, err := compute.Summarize(ctx, src, nil)
		if err != nil || s.N != 6 || s.Zeros != 2 || s.Min != any(int16(-2)) {
			t.Errorf("%s: %+v: %v", name, s, err)
		}
		if n, err := compute.Value(compute.CountNonZero(ctx, src, nil)); err != nil || n != 4 {
			t.Errorf("%s: %v items are not 0: %v", name, n, err)
		}
		if counts, err := compute.Histogram(ctx, src, 2, -2, 8); err != nil || counts[0] != 3 || counts[1] != 3 {
			t.Errorf("%s: the histogram is %v: %v", name, counts, err)
		}
		double := func(dst []int32, x []int16) {
			for i, v := range x {
				dst[i] = 2 * int32(v)
			}
		}
		twice, err := compute.Map(ctx, "", src, double, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if last, err := twice.At(1, 2); err != nil || last != 14 {
			t.Errorf("%s: the last item doubled is %v: %v", name, last, err)
		}
		if _, err := compute.Map(ctx, "", src, func(dst, x []float64) {}, nil); !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s: items taken for others: %v", name, err)
		}
	}
	flags, err := ndarray.FromSlice([]bool{true, false, true}, ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := compute.Value(compute.CountNonZero(ctx, flags.Untyped, nil)); err != nil || n != 2 {
		t.Errorf("%v are true: %v", n, err)
	}
	if part, err := compute.Value(compute.Mean(ctx, flags, nil)); err != nil || part != 2.0/3 {
		t.Errorf("%v of them: %v", part, err)
	}
}
