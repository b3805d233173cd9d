package coords

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// globe is an array of one dimension whose items are its longitudes as they are stored.
func globe(t *testing.T, stored []float64, attributes meta.Map) *Array {
	t.Helper()
	a, err := ndarray.FromSlice(stored, ndarray.Shape{int64(len(stored))}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: []string{"x"}, Attributes: attributes})
	}
	if err != nil {
		t.Fatal(err)
	}
	return New(a, func(context.Context, string) (ndarray.Source, error) { return a, nil })
}

// TestCircle selects longitudes, from west to east whatever the stored ones are, as cdo's
// sellonlatbox does.
func TestCircle(t *testing.T) {
	east := []float64{0, 60, 120, 180, 240, 300}
	west := []float64{-180, -120, -60, 0, 60, 120}
	closed := []float64{0, 120, 240, 360}
	across := []float64{180, 240, 300, 0, 60, 120}
	down := []float64{300, 240, 180, 120, 60, 0}
	for _, c := range []struct {
		stored      []float64
		text        string
		items, want string // the items as they are stored, and their coordinates
	}{
		{east, "x=-60:60", "300 0 60", "-60 0 60"},
		{east, "longitude=-60:60", "300 0 60", "-60 0 60"},
		{east, "x=300:60", "300 0 60", "-60 0 60"},
		{east, "x=300:420", "300 0 60", "300 360 420"},
		{east, "x=-120:-60", "240 300", "-120 -60"},
		{east, "x=-180:180", "240 300 0 60 120 180", "-120 -60 0 60 120 180"},
		{east, "x=0:360", "0 60 120 180 240 300", "0 60 120 180 240 300"},
		{east, "x=60:200", "60 120 180", "60 120 180"},
		{east, "x=-60:60:2", "300 60", "-60 60"},
		{east, "x=-60:", "0 60 120 180 240 300", "0 60 120 180 240 300"},
		{east, "x=-60", "300", ""},
		{east, "x=660", "300", ""},
		{east, "x=[-60,0,-360]", "300 0 0", "300 0 0"},
		{east, "x~-9", "0", ""},
		{east, "x~-40", "300", ""},
		{east, "x~355", "0", ""},
		{east, "x=-50:-10", "error: no item is in the range", ""},
		{west, "x=120:240", "120 -180 -120", "120 180 240"},
		{west, "x=300:310", "-60", "300"},
		{west, "x=180", "-180", ""},
		{west, "x~179", "-180", ""},
		{west, "x~185", "-180", ""},
		{closed, "x=-120:120", "240 0 120", "-120 0 120"},
		{closed, "x=0:360", "0 120 240 360", "0 120 240 360"},
		{across, "x=240:60", "240 300 0 60", "-120 -60 0 60"},
		{west, "x=120:-120", "120 -180 -120", "120 180 240"},
		{across, "x=-60:60", "300 0 60", "-60 0 60"},
		{down, "x=-60:60", "60 0 300", "60 0 -60"},
		{down, "x=240:60", "240 180 120 60", "240 180 120 60"},
		{[]float64{0, 60, 30, 90, 45}, "x=0:60", "error: not sorted", ""},
	} {
		a := globe(t, c.stored, pairs("units", "degrees_east", "standard_name", "longitude"))
		got, want := circled(t, a, c.text)
		if message, bad := strings.CutPrefix(c.items, "error: "); bad {
			if !strings.Contains(got, message) {
				t.Errorf("%v %s: %s, want an error with %s", c.stored, c.text, got, message)
			}
		} else if got != c.items || want != c.want {
			t.Errorf("%v %s: %s at %s, want %s at %s", c.stored, c.text, got, want, c.items, c.want)
		}
	}
}

// circled returns the items of a selection, and the coordinates.
func circled(t *testing.T, a *Array, text string) (items, coordinates string) {
	t.Helper()
	ctx := context.Background()
	part, err := a.Select(ctx, mustParse(text))
	if err != nil {
		return err.Error(), ""
	}
	raw, err := part.View.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, len(raw)/8)
	d := a.decodeItems
	for i := range values {
		values[i] = d.value(raw[8*i:][:8]).hi
	}
	items = strings.Trim(fmt.Sprint(values), "[]")
	if len(part.Axes) == 0 {
		return items, ""
	}
	texts, err := part.Axes[0].Texts(ctx, 0, part.Axes[0].Len)
	if err != nil {
		t.Fatal(err)
	}
	view, ok := part.Axes[0].Coordinates(ctx)
	if !ok || !slices.Equal(view.Shape(), part.View.Shape()) {
		t.Errorf("%s: coordinates of shape %v for %v", text, view.Shape(), part.View.Shape())
	}
	return items, strings.Join(texts, " ")
}

// TestNoCircle takes other coordinates as they are.
func TestNoCircle(t *testing.T) {
	for _, attributes := range []meta.Map{nil, pairs("units", "m", "standard_name", "longitude"),
		pairs("units", "degrees_north")} {
		a := globe(t, []float64{0, 60, 300}, attributes)
		if got, _ := circled(t, a, "x=-60:60"); got != "0 60" {
			t.Errorf("%v: %s", attributes, got)
		}
	}
	short := arrayOf(t, []float32{0, 0.1, 350.9, 359.8}, pairs("units", "degrees_east"))
	if err := short.(ndarray.Array[float32]).SetLabels(ndarray.Labels{Dims: []string{"x"},
		Attributes: pairs("units", "degrees_east")}); err != nil {
		t.Fatal(err)
	}
	a := New(short, func(context.Context, string) (ndarray.Source, error) { return short, nil })
	for text, n := range map[string]string{"x=-9.1": "[]", "x=-9.1:0.1": "[4]", "x=-0.2:0": "[2]"} {
		part, err := a.Select(context.Background(), mustParse(text))
		if err != nil || fmt.Sprint(part.View.Shape()) != n {
			t.Errorf("%s: %v, %v, want %s", text, part, err, n)
		}
	}
}
