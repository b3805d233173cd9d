package coords

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// gridded makes an array with names of dimensions.
func gridded[T any](t testing.TB, items []T, shape ndarray.Shape, attributes meta.Map, dims ...string) ndarray.Source {
	t.Helper()
	a, err := ndarray.FromSlice(items, shape, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: dims, Attributes: attributes})
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ocean is a grid of 4 rows and 12 columns 30 degrees apart, of which the first is at 100 degrees
// east and the last two are the first ones again. Its items are 100 times the row and the column.
func ocean(t testing.TB) *Array {
	shape := ndarray.Shape{4, 14}
	var lat, lon []float64
	var items []int32
	for y := range 4 {
		for x := range 14 {
			lat = append(lat, float64(20*y-30)+float64(x%12)/100)
			lon = append(lon, math.Mod(100+30*float64(x), 360))
			items = append(items, int32(100*y+x))
		}
	}
	lat[0] = math.NaN()

	var cells []int32
	for i := range 5 {
		cells = append(cells, int32(i))
	}
	near := map[string]ndarray.Source{
		"nav_lat": gridded(t, lat, shape, pairs("units", "degrees_north"), "y", "x"),
		"nav_lon": gridded(t, lon, shape, pairs("units", "degrees_east"), "y", "x"),
		"x":       arrayOf(t, make([]float64, 14), pairs("units", "degrees", "standard_name", "grid_longitude")),
		"clat": gridded(t, []float32{-1, 0, 0.5, 1, -0.5}, ndarray.Shape{5},
			pairs("units", "radian", "standard_name", "latitude"), "cell"),
		"clon": gridded(t, []float32{3.1, -3.1, 0, 1, 2}, ndarray.Shape{5},
			pairs("units", "radian", "standard_name", "longitude"), "cell"),
		"depth": gridded(t, make([]float64, 56), shape, pairs("units", "m"), "y", "x"),
	}
	lookup := func(_ context.Context, name string) (ndarray.Source, error) { return near[name], nil }
	near["flat"] = gridded(t, cells, ndarray.Shape{5}, pairs("coordinates", "clat clon"), "cell")
	return New(gridded(t, items, shape, pairs("coordinates", "nav_lat nav_lon depth"), "y", "x"), lookup)
}

// TestCellsAreSelectedByTheirPlaces selects boxes and points of rows and columns.
func TestCellsAreSelectedByTheirPlaces(t *testing.T) {
	ctx := context.Background()
	a := ocean(t)
	for selection, want := range map[string]string{
		"lat=-12:12, lon=95:165":                  "[2 3] [100 101 102 200 201 202]",
		"nav_lat=-12:12, nav_lon=-265:-195":       "[2 3] [100 101 102 200 201 202]",
		"lat=5:12, lon=35:135":                    "[1 4] [210 211 200 201]", // over the seam, once
		"lat=5:12, lon=35:165":                    "[1 5] [210 211 200 201 202]",
		"latitude=:-5, longitude=250:10":          "[2 5] [5 6 7 8 9 105 106 107 108 109]",
		"lat=25:":                                 "[1 14] [300 301 302 303 304 305 306 307 308 309 310 311 312 313]",
		"lat=12, lon=13":                          "[] [209]",
		"lat~12, lon~-350":                        "[] [209]",
		"lat=-89, lon=100":                        "[] [12]", // its twin has no place
		"lat=5:12, lon=35:135, y=2":               "two terms are about the dimension y",
		"lat=85:, lon=0:10":                       "no cell is inside; there is nav_lat from -30 to 30.11, nav_lon from",
		"lat=5:12, lon=7":                         "one latitude and one longitude",
		"lat=5":                                   "one latitude and one longitude",
		"lat=[5,6], lon=7":                        "by a range, or by one value",
		"lat~5:12, lon=7:8":                       "nearest cell is that of one value",
		"lat=north, lon=7":                        "not a number",
		"lat=5:12, latitude=5:12":                 "two terms are about nav_lat",
		"depth=0:10":                              `no dimension "depth"`,
		"lat[2:3]":                                `no dimension "lat"`,
		"lat=-12:12, lon=95:165, nothing=2":       `no dimension "nothing"`,
		"grid_longitude[2:4], lat=-12:12, lon=1:": "two terms are about the dimension x",
	} {
		checkPart(t, selection, want, func(s Selection) (*Array, error) { return a.Select(ctx, s) })
	}
}

// TestCellsOfListsAreSelectedByTheirPlaces selects of a list whose coordinates are in radians.
func TestCellsOfListsAreSelectedByTheirPlaces(t *testing.T) {
	ctx := context.Background()
	flat, _ := ocean(t).lookup(ctx, "flat")
	a := New(flat, ocean(t).lookup)
	for selection, want := range map[string]string{
		"lat=-60:10, lon=170:190": "[2] [0 1]",
		"lat=-60:60, lon=-5:60":   "[2] [2 3]",
		"lon=110:180":             "[2] [0 4]",
		"lat=50, lon=50":          "[] [3]",
	} {
		checkPart(t, selection, want, func(s Selection) (*Array, error) { return a.Select(ctx, s) })
	}
}

// checkPart checks the shape and the items of what a selection takes, or its error.
func checkPart(t *testing.T, selection, want string, take func(s Selection) (*Array, error)) {
	t.Helper()
	s, err := Parse(selection)
	if err != nil {
		t.Fatal(err)
	}
	part, err := take(s)
	if err != nil {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", selection, err, want)
		}
		return
	}
	items, err := ndarray.ViewAs[int32](part.View)
	if err != nil {
		t.Fatal(err)
	}
	got, err := items.Read(context.Background())
	if text := fmt.Sprint([]int64(part.View.Shape()), got); err != nil || text != want {
		t.Errorf("%s: %s, %v, want %s", selection, text, err, want)
	}
}

// TestPlacesAreTheSameForAllArrays applies what one array says to others with its dimensions.
func TestPlacesAreTheSameForAllArrays(t *testing.T) {
	ctx := context.Background()
	a := ocean(t)
	s, err := Parse("lat=5:12, lon=-325:-195")
	if err != nil {
		t.Fatal(err)
	}
	var places Places
	if err := places.Add(ctx, a, s); err != nil {
		t.Fatal(err)
	}
	if len(places.West) != 1 || places.West["nav_lon"] != -440 {
		t.Errorf("west %v", places.West)
	}

	items := make([]int32, 14)
	for i := range items {
		items[i] = int32(i)
	}
	for _, c := range []struct {
		src   ndarray.Source
		want  string
		names int
	}{
		{gridded(t, items, ndarray.Shape{14}, nil, "x"), "[10 11 0 1 2]", 2},
		{gridded(t, items[:2], ndarray.Shape{2}, nil, "x"), "[0 1]", 0}, // another dimension
		{gridded(t, items[:4], ndarray.Shape{4}, nil, "y"), "[2]", 2},
	} {
		b := New(c.src, nil)
		cut, names := places.Of(ctx, b, s)
		part, err := b.Select(ctx, cut)
		if err != nil {
			t.Fatal(err)
		}
		view, err := ndarray.ViewAs[int32](part.View)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := view.Read(ctx); err != nil || fmt.Sprint(got) != c.want || len(names) != c.names {
			t.Errorf("%v, %v, names %v; want %s", got, err, names, c.want)
		}
	}
}
