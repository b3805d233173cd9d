package compute_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// named makes an array with names of dimensions and attributes.
func named[T any](t testing.TB, items []T, shape ndarray.Shape, dims string, attributes ...any) ndarray.Source {
	t.Helper()
	a, err := ndarray.FromSlice(items, shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := ndarray.Labels{Dims: strings.Fields(dims)}
	for i := 0; i < len(attributes); i += 2 {
		l.Attributes = append(l.Attributes, meta.Pair{Key: attributes[i], Value: attributes[i+1]})
	}
	if err := a.SetLabels(l); err != nil {
		t.Fatal(err)
	}
	return a
}

// coordinatesOf returns coordinates by their names.
func coordinatesOf(all map[string]ndarray.Source) *compute.CalcOptions {
	return &compute.CalcOptions{
		Coordinate: func(_ context.Context, name string, _ []string, _ ndarray.Shape) (ndarray.Source, error) {
			if src, ok := all[name]; ok {
				return src, nil
			}
			return nil, fmt.Errorf("no coordinates are named %q: %w", name, cairn.ErrNotFound)
		},
	}
}

func TestCoordinatesAsOperands(t *testing.T) {
	sources := map[string]ndarray.Source{
		"a": named(t, []float64{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, "y x"),
		"y": named(t, []float64{100, 200}, ndarray.Shape{2}, "y"),
	}
	o := coordinatesOf(map[string]ndarray.Source{
		"x":    named(t, []float64{10, 20, 30}, ndarray.Shape{3}, "x", "units", "m"),
		"y":    named(t, []float64{-1, -2}, ndarray.Shape{2}, "y"),
		"area": named(t, []float64{1, 0, 0, 0, 0, 1}, ndarray.Shape{3, 2}, "x y"),
		"h":    named(t, []float64{7}, ndarray.Shape{}, ""),
		"pi":   named(t, []float64{7}, ndarray.Shape{}, ""),
	})
	for text, want := range map[string][]float64{
		"a + x":               {11, 22, 33, 14, 25, 36},
		"x + a":               {11, 22, 33, 14, 25, 36},
		"x * area":            {10, 0, 0, 0, 0, 30},
		"a + y":               {101, 102, 103, 204, 205, 206}, // a source wins over coordinates
		"a * area":            {1, 0, 0, 0, 0, 6},
		"a * h":               {7, 14, 21, 28, 35, 42},
		"where(pi < 4, x, 0)": {10, 20, 30}, // a constant does, too
		"sum(a * x, 'x')":     {140, 320},
	} {
		e, err := compute.Calc(t.Context(), text, sources, o)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := floatsOf(t, e); !slices.Equal(got, want) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}

	_, err := compute.Calc(t.Context(), "a + z", sources, o)
	if !errors.Is(err, compute.ErrSyntax) || !strings.Contains(err.Error(), `at character 5: no array is named "z", but a, y; no coordinates`) {
		t.Errorf("a name of nothing: %v", err)
	}
}

// floatsOf reads a result of float64.
func floatsOf(t testing.TB, src ndarray.Source) []float64 {
	t.Helper()
	d := src.DType()
	if d.Kind() != 'f' {
		t.Fatalf("the result is of dtype %v", d)
	}
	u, err := ndarray.Copy(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ndarray.As[float64](u)
	if err != nil {
		t.Fatal(err)
	}
	items, err := a.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return items
}
