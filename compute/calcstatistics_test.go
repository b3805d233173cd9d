package compute_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

func TestStatisticsInExpressions(t *testing.T) {
	nan := math.NaN()
	sources := map[string]ndarray.Source{
		"a":      named(t, []float64{1, 2, 3, 4, nan, 6}, ndarray.Shape{2, 3}, "y x", "units", "K"),
		"b":      named(t, []float64{2, 4, 6}, ndarray.Shape{3}, "x"),
		"w":      named(t, []float64{1, 3}, ndarray.Shape{2}, "y"),
		"area":   named(t, []float64{1, 0, 2, 1, 0, 1}, ndarray.Shape{3, 2}, "x y"),
		"i":      named(t, []int16{3, 3, 1, 2, 2, 1}, ndarray.Shape{2, 3}, "y x"),
		"series": named(t, []float64{1, 3, 5, 7}, ndarray.Shape{4}, "time", "units", "K"),
	}
	o := coordinatesOf(map[string]ndarray.Source{
		"time": named(t, []int32{0, 12, 24, 36}, ndarray.Shape{4}, "time", "units", "hours since 2000-01-01"),
		"x":    named(t, []float64{10, 20, 30}, ndarray.Shape{3}, "x", "units", "m"),
	})
	for text, want := range map[string][]float64{
		"mean(b, weights=b)":                             {56.0 / 12},
		"nanmean(a, 'y', weights=w)":                     {13.0 / 4, 2, 21.0 / 4},
		"nanmean(a, weights=area)":                       {11.0 / 4}, // NaN has no weight
		"nansum(a, ('y', 'x'), weights=area)":            {1 + 2*2 + 6},
		"mean(i, weights=w)":                             {(7 + 3*5) / 12.0},
		"nanstd(a, 'y', weights=w)":                      {math.Sqrt(27.0 / 16), 0, math.Sqrt(27.0 / 16)},
		"nancorr(a, b, 'x')":                             {1, 1},
		"corr(b, a, 'x')":                                {1, nan},
		"nancov(a, b, 'x')":                              {2, 4},
		"nancov(a, b, 'x', ddof=0)":                      {4.0 / 3, 2},
		"slope(series)":                                  {4},
		"intercept(series)":                              {1},
		"slope(series, 'time', x=index(series, axis=0))": {2},
		"nanslope(a, 'x')":                               {0.1, 0.1},
		"pvalue(series)":                                 {0},
		"mode(i, 'x')":                                   {3, 2},
		"longest_run(i > 1, 'x')":                        {2, 2},
		"longest_run(a, 'x')":                            {3, 1},
		"middle(b)":                                      {4},
		"first(a, 'x') + last(a, 'x')":                   {4, 10},
	} {
		e, err := compute.Calc(t.Context(), "float64("+text+")", sources, o)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := floatsOf(t, e)
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || a != a && b != b }
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}

	// Modes have the dtype of the items, and slopes a unit.
	e := made[*compute.Expression](t)(compute.Calc(t.Context(), "mode(i)", sources, o))
	if d := e.DType().String(); d != "<i2" {
		t.Errorf("the mode of int16 is of dtype %s", d)
	}
	for text, want := range map[string]string{"slope(series)": "K day-1", "slope(a, 'x')": "K m-1", "slope(a, 'y')": "K",
		"intercept(series)": "K", "pvalue(series)": "1"} {
		e := made[*compute.Expression](t)(compute.Calc(t.Context(), text, sources, o))
		labels, _ := e.Labels()
		if units, _ := labels.Attributes.Get("units"); units != want {
			t.Errorf("units of %s are %v, want %s", text, units, want)
		}
	}
}

func TestStatisticsAreRefused(t *testing.T) {
	sources := map[string]ndarray.Source{
		"a": named(t, []float64{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, "y x"),
		"z": named(t, []float64{1, 2}, ndarray.Shape{2}, "z"),
	}
	for text, kind := range map[string]error{
		"median(a, weights=a)":      cairn.ErrUnsupported,
		"max(a, weights=a)":         cairn.ErrUnsupported,
		"corr(a, a, weights=a)":     cairn.ErrUnsupported,
		"std(a, ddof=1, weights=a)": cairn.ErrUnsupported,
		"mean(a, weights=-a)":       cairn.ErrInvalid,
		"mean(a, weights=z)":        cairn.ErrBounds,
		"mean(a, weights=q)":        compute.ErrSyntax,
		"corr(a)":                   cairn.ErrBounds,
		"slope(a)":                  cairn.ErrBounds,
		"longest_run(a)":            cairn.ErrBounds,
		"slope(a, 'x', x=z)":        cairn.ErrBounds,
		"corr(a, complex64(a))":     cairn.ErrType,
	} {
		if _, err := compute.Calc(t.Context(), text, sources, nil); !errors.Is(err, kind) {
			t.Errorf("%s: %v, want %v", text, err, kind)
		}
	}
}

func TestStatisticsInPieces(t *testing.T) {
	values := make([]float32, 30*40)
	for i := range values {
		values[i] = float32(i*i%37) - 18
		if i%11 == 0 {
			values[i] = float32(math.NaN())
		}
	}
	a, err := ndarray.FromSlice(values, ndarray.Shape{30, 40}, &ndarray.Options{ChunkShape: ndarray.Shape{7, 9}})
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]ndarray.Source{"a": a, "w": named(t, make([]float64, 40), ndarray.Shape{40}, "x")}
	texts := []string{"nanmean(a, 0, weights=abs(index(a, axis=1)))", "nanstd(a, weights=abs(index(a, axis=0)))",
		"nancorr(a, a*a, axis=1)", "nanslope(a, 0)", "nanpvalue(a, 0)", "longest_run(a > 0, 0)"}
	want := made[[]*compute.Expression](t)(compute.CalcAll(t.Context(), texts, sources, nil))
	d, err := compute.Divide(t.Context(), texts, sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := made[[]*compute.Expression](t)(d.Merge(t.Context(), func(yield func([]byte, error) bool) {
		for i := range d.Pieces() {
			if !yield(d.Reduce(t.Context(), i, i+1)) {
				return
			}
		}
	}))
	for i, text := range texts {
		x := made[*ndarray.Untyped](t)(ndarray.Copy(t.Context(), want[i], nil))
		y := made[*ndarray.Untyped](t)(ndarray.Copy(t.Context(), got[i], nil))
		if fmt.Sprint(made[[]byte](t)(x.Read(t.Context()))) != fmt.Sprint(made[[]byte](t)(y.Read(t.Context()))) {
			t.Errorf("%s in pieces has other bits", text)
		}
	}

	for _, text := range []string{"mode(a)", "mean(a, weights=mean(w))", "middle(a, 0)"} {
		if _, err := compute.Divide(t.Context(), []string{text}, sources, nil); !errors.Is(err, compute.ErrIndivisible) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// made returns what a call has made, or fails.
func made[A any](t *testing.T) func(a A, err error) A {
	return func(a A, err error) A {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}
