package compute_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// TestCoordinatesMove checks which coordinates results have along an axis with some.
func TestCoordinatesMove(t *testing.T) {
	source := func(items []float64, dims ...string) *ndarray.Untyped {
		u, err := ndarray.FromSlice(items, ndarray.Shape{int64(len(items))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.SetLabels(ndarray.Labels{Dims: dims}); err != nil {
			t.Fatal(err)
		}
		return u.Untyped
	}
	a := source([]float64{1, 4, 9, 16, 25}, "x")
	x := source([]float64{10, 20, 30, 40, 50}, "x")
	o := &compute.CalcOptions{Coordinate: func(_ context.Context, name string, _ []string, shape ndarray.Shape) (ndarray.Source, error) {
		if name != "x" || shape != nil && shape[0] != 5 {
			return nil, cairn.ErrNotFound
		}
		return x, nil
	}}

	for text, want := range map[string]string{
		"diff(a)":                              "[20 30 40 50]",
		"diff(a, 2) + 1":                       "[30 40 50]",
		"diff(a) / diff(x)":                    "[20 30 40 50]",
		"interp(a, 0, (15, 42))":               "[15 42]",
		"a[::-2]":                              "[50 30 10]",
		"sqrt(a[1:])[1:3]":                     "[30 40]",
		"a[[True, False, True, False, False]]": "[10 30]",
		"a[1:] - a[:-1]":                       "unknown",
		"a[::-1] - a":                          "unknown",
		"shift(a, 1)":                          "as they were",
		"ffill(a) + cumsum(a)":                 "as they were",
		"slope(a[1:]) + a":                     "as they were",
	} {
		e, err := compute.Calc(t.Context(), text, map[string]ndarray.Source{"a": a}, o)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}

		got := "as they were"
		if len(e.Selected()) > 0 {
			got = "unknown"
		}
		if src := e.Coordinates("x"); src != nil {
			view, err := ndarray.ViewAs[float64](src)
			if err != nil {
				t.Fatal(err)
			}
			items, err := view.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprint(items)
		}
		if got != want {
			t.Errorf("%s: the coordinates are %s, want %s", text, got, want)
		}
	}
}
