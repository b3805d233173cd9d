package whole

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func labelled(t *testing.T, items []float64, shape ndarray.Shape, dims string, attributes ...any) ndarray.Source {
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

func TestAreasOfCells(t *testing.T) {
	// The areas of all cells together are that of the sphere.
	const sphere = 4 * math.Pi * EarthRadius * EarthRadius
	lat := labelled(t, []float64{-60, 0, 60}, ndarray.Shape{3}, "lat", "units", "degrees_north")
	// rows that end at 88.8 degrees
	near := labelled(t, []float64{59.2, 0, -59.2}, ndarray.Shape{3}, "lat", "units", "degrees_north")
	lon := labelled(t, []float64{0, 60, 120, 180, 240, 300}, ndarray.Shape{6}, "lon", "units", "degrees_east")
	bounded := labelled(t, []float64{0, 60, 120, 180, 240, 300}, ndarray.Shape{6}, "lon", "units", "degrees_east",
		"bounds", "lon_bnds")
	bounds := labelled(t, []float64{0, 60, 60, 120, 120, 180, 180, 240, 240, 300, 300, 330}, ndarray.Shape{6, 2}, "lon nv")

	// A cube has six faces with the same area, of which four have no pole within.
	corner := math.Atan(1/math.Sqrt2) * 180 / math.Pi
	faceLat := labelled(t, []float64{0}, ndarray.Shape{1}, "cell", "standard_name", "latitude", "bounds", "lat_vertices")
	faceLon := labelled(t, []float64{0}, ndarray.Shape{1}, "cell", "standard_name", "longitude", "bounds", "lon_vertices")
	vertices := map[string]ndarray.Source{
		"lat_vertices": labelled(t, []float64{-corner, -corner, corner, corner}, ndarray.Shape{1, 4}, "cell nv"),
		"lon_vertices": labelled(t, []float64{315, 45, 45, 315}, ndarray.Shape{1, 4}, "cell nv"),
	}

	for name, c := range map[string]struct {
		shape ndarray.Shape
		dims  string
		near  map[string]ndarray.Source
		attrs []any
		want  float64
	}{
		"halfway": {ndarray.Shape{3, 6}, "lat lon", map[string]ndarray.Source{"lat": lat, "lon": lon}, nil, sphere},
		"bounds": {ndarray.Shape{3, 6}, "lat lon", map[string]ndarray.Source{"lat": lat, "lon": bounded, "lon_bnds": bounds}, nil,
			-1},
		"rows that end near the poles": {ndarray.Shape{3, 6}, "lat lon", map[string]ndarray.Source{"lat": near, "lon": lon}, nil, sphere},
		"no longitudes":                {ndarray.Shape{3}, "lat", map[string]ndarray.Source{"lat": lat}, nil, sphere},
		"corners": {ndarray.Shape{1}, "cell", map[string]ndarray.Source{"lat": faceLat, "lon": faceLon,
			"lat_vertices": vertices["lat_vertices"], "lon_vertices": vertices["lon_vertices"]},
			[]any{"coordinates", "lat lon"}, sphere / 6},
		"measured": {ndarray.Shape{3, 6}, "lat lon", map[string]ndarray.Source{"lat": lat, "lon": lon,
			"mine": labelled(t, []float64{1, 2, 3}, ndarray.Shape{3}, "lat")}, []any{"cell_measures", "area: mine"}, 6},
	} {
		lookup := func(_ context.Context, name string) (ndarray.Source, error) { return c.near[name], nil }
		n := int64(1)
		for _, extent := range c.shape {
			n *= extent
		}
		a := coords.New(labelled(t, make([]float64, n), c.shape, c.dims, c.attrs...), lookup)
		src, err := (&Weights{Kind: WeightsArea}).Of(t.Context(), a, lookup)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all, err := floatsOf(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range all {
			sum += v
		}
		if name == "bounds" { // the last longitude has half of the others
			if math.Abs(all[5]/all[4]-0.5) > 0.05 {
				t.Errorf("cells have the areas %v", all)
			}
			continue
		}
		if math.Abs(sum/c.want-1) > 0.08 || name != "halfway" && math.Abs(sum/c.want-1) > 1e-12 {
			t.Errorf("%s: the areas are %v together, want %v", name, sum, c.want)
		}
	}
}

// TestWeightsAlong takes weights of cells for an array of rows: as if it had the same items in all
// columns.
func TestWeightsAlong(t *testing.T) {
	w := labelled(t, []float64{1, 2, 3, 10, 20, 30}, ndarray.Shape{2, 3}, "lat lon")
	for _, c := range []struct {
		dims []string
		want []float64
	}{
		{[]string{"lat"}, []float64{6, 60}},
		{[]string{"time", "lon"}, []float64{11, 22, 33}},
		{[]string{"lon", "lat"}, []float64{1, 2, 3, 10, 20, 30}},
	} {
		src, err := along(t.Context(), w, c.dims)
		if err != nil {
			t.Fatal(err)
		}
		got, err := floatsOf(t.Context(), src)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("along %q: %v, %v, want %v", c.dims, got, err, c.want)
		}
	}
}
