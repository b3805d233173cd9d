package coords

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestNamedCoordinatesAreCutAsTheArray finds coordinates of a part of an array in all ways.
func TestNamedCoordinatesAreCutAsTheArray(t *testing.T) {
	grid := func(items []int32, shape ndarray.Shape, dims ...string) ndarray.Source {
		a, err := ndarray.FromSlice(items, shape, nil)
		if err == nil {
			err = a.SetLabels(ndarray.Labels{Dims: dims})
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	near := map[string]ndarray.Source{
		"lat":    arrayOf(t, []int32{60, 50, 40, 30}, pairs("units", "degrees_north", "standard_name", "latitude")),
		"x":      arrayOf(t, []int32{0, 90, 180}, nil),
		"area":   grid([]int32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}, ndarray.Shape{3, 4}, "x", "lat"),
		"height": grid([]int32{2}, ndarray.Shape{}),
		"other":  grid([]int32{1, 2}, ndarray.Shape{2}, "z"),
		"longer": grid([]int32{1, 2, 3, 4, 5}, ndarray.Shape{5}, "lat"),
	}
	lookup := func(_ context.Context, name string) (ndarray.Source, error) { return near[name], nil }
	a := New(grid(make([]int32, 12), ndarray.Shape{4, 3}, "lat", "x"), lookup)

	for _, c := range []struct{ selection, name, want string }{
		{"", "lat", "[4] [60 50 40 30]"},
		{"", "latitude", "[4] [60 50 40 30]"},
		{"lat=30:50", "lat", "[3] [50 40 30]"},
		{"lat=40", "lat", "[] [40]"},
		{"lat=40", "area", "[3] [2 12 22]"},
		{"lat=30:50, x[::2]", "area", "[2 3] [1 2 3 21 22 23]"},
		{"1:, 2", "area", "[3] [21 22 23]"},
		{"1:", "height", "[] [2]"},
		{"", "other", "none"},
		{"", "longer", "none"},
		{"", "nothing", "none"},
	} {
		s, err := Parse(c.selection)
		if err != nil {
			t.Fatal(err)
		}
		part, err := a.Select(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		src, err := part.Named(t.Context(), c.name)
		if err != nil {
			t.Errorf("%s of %q: %v", c.name, c.selection, err)
			continue
		}
		if src != nil {
			raw, err := ndarray.ViewOf(src).Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var items []byte
			for i := 0; i < len(raw); i += 4 {
				items = append(items, raw[i])
			}
			got = fmt.Sprint(src.Shape(), " ", items)
		}
		if got != c.want {
			t.Errorf("%s of %q is %s, want %s", c.name, c.selection, got, c.want)
		}
	}
	if got := a.Names(t.Context()); !slices.Equal(got, []string{"lat", "x"}) {
		t.Errorf("the names are %q", got)
	}
}
