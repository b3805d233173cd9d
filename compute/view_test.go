package compute

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// viewed returns views of an array with rows of 900 items.
func viewed(t *testing.T, rows int64) map[string]ndarray.View[float32] {
	t.Helper()
	rnd := rand.New(rand.NewPCG(21, 7))
	values := make([]float32, rows*900)
	for i := range values {
		if values[i] = float32(rnd.NormFloat64()); i%1000 == 77 {
			values[i] = float32(math.NaN())
		}
	}
	a := must[ndarray.Array[float32]](t)(ndarray.FromSlice(values, ndarray.Shape{rows, 900}, &ndarray.Options{
		ChunkShape: ndarray.Shape{(rows + 2) / 3, 200}, BlockShape: ndarray.Shape{8, 200}}))
	return map[string]ndarray.View[float32]{
		"all":        a.View(),
		"transposed": a.View().Transpose(),
		"reversed":   a.View().Flip(0),
		"steps":      a.Slice(ndarray.From(1).Step(2)),
		"joined":     must[ndarray.View[float32]](t)(ndarray.ViewAs[float32](ndarray.Concat(0, a, a.View().Flip(1)))),
		"repeated":   a.Slice(ndarray.Range(0, 3), ndarray.From(300)).ExpandDims(0).Broadcast(ndarray.Shape{9, 3, 600}),
	}
}

// TestViewsAreReducedAsArrays checks that views are reduced, mapped and counted like arrays of
// their items.
func TestViewsAreReducedAsArrays(t *testing.T) {
	for name, v := range viewed(t, 40) {
		for _, axes := range [][]int{nil, {0}, {1}, {-1}} {
			checkView(t, name, v, &Options{Axes: axes})
			checkView(t, name, v, &Options{Axes: axes, SkipNaN: true})
		}
	}
}

// TestLargeViewsAreReducedAsArrays is the same for a view that is visited in several boxes.
func TestLargeViewsAreReducedAsArrays(t *testing.T) {
	v := viewed(t, 1200)["transposed"]
	if box := ndarray.Shape(v.Inside().ChunkShape()); slices.Equal(box, v.Shape()) {
		t.Fatalf("%v is one box", v.Shape())
	}
	checkView(t, "large", v, &Options{Axes: []int{0}})
	checkView(t, "large", v, &Options{Axes: []int{1}, SkipNaN: true})
}

func checkView(t *testing.T, name string, v ndarray.View[float32], o *Options) {
	t.Helper()
	ctx := t.Context()
	twin := must[ndarray.Array[float32]](t)(ndarray.FromSlice(must[[]float32](t)(v.Read(ctx)), v.Shape(), nil))
	name = fmt.Sprintf("%s, over %v, skipping %v", name, o.Axes, o.SkipNaN)
	same(t, name+": sum", 1e-9, func(s ndarray.Source) (ndarray.Array[float64],
		error) {
		return Sum[float64](ctx, s, o)
	}, v, twin)
	same(t, name+": mean", 1e-12, func(s ndarray.Source) (ndarray.Array[float64],
		error) {
		return Mean(ctx, s, o)
	}, v, twin)
	same(t, name+": std", 1e-12, func(s ndarray.Source) (ndarray.Array[float64],
		error) {
		return Std(ctx, s, o)
	}, v, twin)
	same(t, name+": max", 0, func(s ndarray.Source) (ndarray.Array[float32],
		error) {
		return Max[float32](ctx, s, o)
	}, v, twin)
	same(t, name+": argmin", 0, func(s ndarray.Source) (ndarray.Array[int64],
		error) {
		return ArgMin(ctx, s, o)
	}, v, twin)
	same(t, name+": NaN", 0, func(s ndarray.Source) (ndarray.Array[int64],
		error) {
		return CountNaN(ctx, s, o)
	}, v, twin)
	bins := must[[]int64](t)(Histogram(ctx, v, 7, -2, 2))
	if want := must[[]int64](t)(Histogram(ctx, twin, 7, -2, 2)); !slices.Equal(bins, want) {
		t.Errorf("%s: histogram %v, want %v", name, bins, want)
	}
	double := func(dst, x []float32) {
		for i := range x {
			dst[i] = 2 * x[i]
		}
	}
	same(t, name+": map", 0, func(s ndarray.Source) (ndarray.Array[float32], error) {
		return Map(ctx, "", s, double, nil)
	}, v, twin)
}

// same compares the results of two sources.
func same[R ndarray.Real](t *testing.T, name string, slack float64,
	of func(ndarray.Source) (ndarray.Array[R], error), x, y ndarray.Source) {
	t.Helper()
	got, want := must[ndarray.Array[R]](t)(of(x)), must[ndarray.Array[R]](t)(of(y))
	if !slices.Equal(got.Shape(), want.Shape()) {
		t.Fatalf("%s: shape %v, want %v", name, got.Shape(), want.Shape())
	}
	a, b := must[[]R](t)(got.Read(t.Context())), must[[]R](t)(want.Read(t.Context()))
	for i := range a {
		p, q := float64(a[i]), float64(b[i])
		if p != q && !(math.Abs(p-q) <= slack*math.Max(1, math.Abs(q))) && (p == p || q == q) {
			t.Fatalf("%s: item %d is %v, want %v", name, i, p, q)
		}
	}
}

// TestReductionsOfViewsThatFail checks that reductions of views fail like reads of them.
func TestReductionsOfViewsThatFail(t *testing.T) {
	a := must[ndarray.Array[int16]](t)(ndarray.FromSlice(make([]int16, 12), ndarray.Shape{3, 4}, nil))
	for name, v := range map[string]ndarray.View[int16]{"none": {}, "outside": a.Slice(ndarray.Index(3)), "wrong order": a.View().Transpose(0)} {
		for what, err := range map[string]error{
			"sum": second(Sum[int64](t.Context(), v, nil)), "mean": second(Mean(t.Context(), v, nil)),
			"max":       second(Max[int16](t.Context(), v, nil)),
			"histogram": second(Histogram(t.Context(), v, 3, 0, 1)),
		} {
			if err == nil {
				t.Errorf("%s of a view of %s: no error", what, name)
			}
		}
	}
	v := a.View()
	if err := a.Resize(t.Context(), ndarray.Shape{2, 4}, nil); err != nil {
		t.Fatal(err)
	}
	if err := second(Sum[int64](t.Context(), v, Over(0))); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("sum of what is not there any more: %v", err)
	}
}
