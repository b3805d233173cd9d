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

// arrayOf makes an array of one dimension with attributes.
func arrayOf[T any](t testing.TB, items []T, attributes meta.Map) ndarray.Source {
	t.Helper()
	a, err := ndarray.FromSlice(items, ndarray.Shape{int64(len(items))}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Attributes: attributes})
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// textsOf makes an array of texts of at most 4 bytes.
func textsOf(t testing.TB, texts ...string) ndarray.Source {
	t.Helper()
	a, err := ndarray.NewUntyped("S4", ndarray.Shape{int64(len(texts))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var items []byte
	for _, text := range texts {
		items = append(items, (text + "\x00\x00\x00\x00")[:4]...)
	}
	if err := a.Write(context.Background(), items); err != nil {
		t.Fatal(err)
	}
	return a
}

func pairs(list ...any) (m meta.Map) {
	for i := 0; i < len(list); i += 2 {
		m = append(m, meta.Pair{Key: list[i], Value: list[i+1]})
	}
	return m
}

// climate is an array of 3 dimensions whose items are their own places.
func climate(t testing.TB) *Array {
	days := make([]int32, 60) // every 12 hours from 2020-01-01
	for i := range days {
		days[i] = int32(12 * i)
	}
	near := map[string]ndarray.Source{
		"time":    arrayOf(t, days, pairs("units", "hours since 2020-01-01", "calendar", "standard")),
		"lat":     arrayOf(t, []float32{60.5, 60.25, 60, 59.75, 59.7}, pairs("units", "degrees_north")),
		"station": arrayOf(t, []int16{100, 300, 200}, nil),
	}
	items := make([]int16, 60*5*3*2)
	for i := range items {
		items[i] = int16(i)
	}
	a, err := ndarray.FromSlice(items, ndarray.Shape{60, 5, 3, 2}, nil)
	if err == nil {
		dims := []string{"time", "lat", "station", "part"}
		err = a.SetLabels(ndarray.Labels{Dims: dims, Attributes: pairs("units", "K")})
	}
	if err != nil {
		t.Fatal(err)
	}
	return New(a, func(_ context.Context, name string) (ndarray.Source, error) { return near[name], nil })
}

// selections are texts, and the same by index, or what their errors contain.
func selections() map[string]string {
	return map[string]string{
		"":                                "",
		"time=2020-01-02":                 "2:4",
		"time=2020-01-02T12":              "3",
		"time=2020-01-02T12:00":           "3",
		"time=2020-01":                    ":",
		"time=2020-01-02:2020-01-03":      "2:6",
		"time=2020-01-02T12:2020-01-03":   "3:6",
		"time=2020-01-02 12:00:2020-01-3": "error: \"2020-01-02 12:00:2020-01-3\" is neither a date nor a range",
		"time=2020-01-29:":                "56:60",
		"time=:2020-01-01":                "0:2",
		"time=2020-01-02:2020-01-05:2":    "2:10:2",
		"time=[2020-01-02T12,2020-01-01]": "[3, 0, 1]",
		"time~2020-01-02T05":              "2",
		"time[-1]":                        "-1",
		"time[10:20:3], lat[::-1]":        "10:20:3, ::-1",
		"lat=60":                          "..., 2, :, :",
		"lat=59.7":                        "..., 4, :, :",
		"lat=59:60.25":                    ":, 1:",
		"lat=60.25:59":                    ":, 1:",
		"lat~59.9":                        ":, 2",
		"lat=[59.7,60.5]":                 ":, [4, 0]",
		"station=300":                     ":, :, 1",
		"station=[200,100], part=1":       ":, :, [2, 0], 1",
		"part=:1,station[1:]":             ":, :, 1:, :1",
		"part=[1,0]":                      "..., [1, 0]",
		"part[[1,]]":                      "..., [1]",
		" lat = 60 , time = 2020-01-01 ,": "0:2, 2",
		// Errors say what there is.
		"lon=3": "error: no dimension \"lon\"; there are time (2020-01-01T00:00 to " +
			"2020-01-30T12:00, 60 items), lat (60.5 to 59.7 degrees_north, 5 items), " +
			"station (100 to 200, 3 items), part (2 items)",
		"lat=59.9":             "error: nearest, 60",
		"lat=10:20":            "error: no item is in the range; there is lat (60.5 to 59.7",
		"lat=north":            "error: \"north\" is not a number",
		"time=2020/01/02":      "error: \"2020/01/02\" is neither a date nor a range of dates, such as 2020-01-31",
		"lat=60:61;":           "error: \"61;\" is not a number",
		"time=yesterday":       "error: \"yesterday\" is not a date",
		"time=2021":            "error: no item has this value",
		"time=2020-13":         "error: not in the calendar",
		"time=2020-02:2020-01": "error: the end is before the start",
		"station=100:200":      "error: not sorted",
		"part~1":               "error: has no coordinates",
		"part=...":             "error: does not select along one dimension",
		"part=1,2":             "error: some parts have the name",
		"part=1,part=2":        "error: occurs twice",
		"part=":                "error: nothing after part=",
		"lat~60:61":            "error: one number or date",
		"lat=[60,":             "error: ",
		"time[3":               "error: ",
		"lat=60:61:0":          "error: is no step",
		"part=7":               "error: ",
	}
}

func TestSelect(t *testing.T) {
	a := climate(t)
	for text, want := range selections() {
		got, err := a.Select(context.Background(), mustParse(text))
		if message, bad := strings.CutPrefix(want, "error: "); bad {
			if _, e := Parse(text); e != nil {
				err = e
			}
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%q: error %v, want %s", text, err, message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		items, err := got.View.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		same := a.View.Slice(ndarray.MustParse(want)...)
		wanted, err := same.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(items, wanted) || !slices.Equal(got.View.Shape(), same.Shape()) {
			t.Errorf("%q: shape %v, want %v, or other items", text, got.View.Shape(), same.Shape())
		}
	}
}

// mustParse ignores errors: they are found again.
func mustParse(text string) Selection {
	s, err := Parse(text)
	if err != nil {
		return Selection{terms: []term{{name: "?", by: '[', what: "0"}}}
	}
	return s
}

// TestAxesOfPart tells the axes of a part of a part.
func TestAxesOfPart(t *testing.T) {
	ctx := context.Background()
	a := climate(t)
	for _, text := range []string{"10:20:2, 1, None, ::-1", "..., :1", ":, 0, :"} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if a, err = a.Select(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, axis := range a.Axes {
		got = append(got, axis.Describe(ctx))
	}
	fixed, err := a.Fixed(ctx)
	want := "[time (2020-01-06 to 2020-01-10, 5 items) station (200 to 100, 3 items) part (1 item)] " +
		"[{lat 60.25 false degrees_north} { [0] true }] <nil>"
	if text := fmt.Sprint(got, fixed, err); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	floats, err := a.Axes[0].Floats(ctx, 1, 3)
	if want := []float64{1578355200, 1578441600}; !slices.Equal(floats, want) || err != nil {
		t.Errorf("times as numbers: %v, %v, want %v", floats, err, want)
	}
}

func TestTexts(t *testing.T) {
	huge := int64(1) << 53
	for _, c := range []struct {
		src  ndarray.Source
		want string
	}{
		{arrayOf(t, []int64{huge + 1, -huge - 1, 1<<63 - 1, -1 << 63}, nil),
			"9007199254740993 -9007199254740993 9223372036854775807 -9223372036854775808"},
		{arrayOf(t, []float64{0.1, 4500000.5, 1e-7, 1e300}, nil), "0.1 4500000.5 1e-07 1e+300"},
		{arrayOf(t, []float32{0.1, 52.3}, nil), "0.1 52.3"},
		{arrayOf(t, []int16{3, 7, 0}, pairs("scale_factor", 0.1, "add_offset", 1.0, "_FillValue", int64(0))),
			"1.3 1.7 1"},
		{arrayOf(t, []uint8{3, 7}, pairs("units", "hours since 2001-02-28", "calendar", "360_day")),
			"2001-02-28T03:00 2001-02-28T07:00"},
		{arrayOf(t, []float64{0, 1.0 / 3}, pairs("units", "days since 2001-01-01")),
			"2001-01-01T00:00 2001-01-01T08:00"},
		{textsOf(t, "a", "bc"), "a bc"},
	} {
		n := c.src.Shape()[0]
		axis := &Axis{Len: n, coordinates: &coordinates{name: "x", n: n,
			lookup: func(context.Context, string) (ndarray.Source, error) { return c.src, nil }}}
		if ok, err := axis.HasCoordinates(context.Background()); !ok || err != nil {
			t.Errorf("want %s: %v", c.want, err)
			continue
		}
		texts, err := axis.Texts(context.Background(), 0, n)
		if got := strings.Join(texts, " "); got != c.want || err != nil {
			t.Errorf("%s, %v, want %s", got, err, c.want)
		}
	}
}

// TestUnusableCoordinates refuses values for a dimension whose coordinates cannot be read, while
// indexes do.
func TestUnusableCoordinates(t *testing.T) {
	a := climate(t)
	a.Axes[3].coordinates.lookup = func(context.Context, string) (ndarray.Source, error) {
		return arrayOf(t, []int8{1, 2, 3}, nil), nil
	}
	_, err := a.Select(context.Background(), mustParse("part=1"))
	want := `selection "part=1": coordinates of part: the array part has shape [3], want [2]`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := a.Select(context.Background(), mustParse("part[1]")); err != nil {
		t.Error(err)
	}
}

// TestManyCoordinates searches more coordinates than are read at once.
func TestManyCoordinates(t *testing.T) {
	n := int64(3*piece + 5)
	items := make([]int64, n)
	for i := range items {
		items[i] = 10 * int64(i)
	}
	src := arrayOf(t, items, nil)
	if err := src.(ndarray.Array[int64]).SetLabels(ndarray.Labels{Dims: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	a := New(src, func(context.Context, string) (ndarray.Source, error) { return src, nil })
	part, err := a.Select(context.Background(), mustParse("x=327670:655375"))
	if err != nil || fmt.Sprint(part.View.Shape()) != "[32771]" {
		t.Errorf("%v, %v", part, err)
	}
}

func FuzzSelect(f *testing.F) {
	for _, text := range []string{
		"time=2020-01-02:2020-01-05:2,lat=60", "lat~59.9,part[::-1]",
		"station=[200,100]", "1, ..., None, [0, 1]",
	} {
		f.Add(text)
	}
	a := climate(f)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		part, err := a.Select(context.Background(), s)
		if err != nil {
			return
		}
		if len(part.Axes) != len(part.View.Shape()) {
			t.Fatalf("%q: %d axes of %v", text, len(part.Axes), part.View.Shape())
		}
		for i, axis := range part.Axes {
			if axis.Len != part.View.Shape()[i] {
				t.Errorf("%q: axis %d has %d items, of %v", text, i, axis.Len, part.View.Shape())
			}
			if _, err := axis.HasCoordinates(context.Background()); err != nil {
				t.Error(err)
			}
			axis.Describe(context.Background())
		}
	})
}

func TestSelectTexts(t *testing.T) {
	names := textsOf(t, "Oslo", "Bern", "Rom", "Bern")
	if err := names.(*ndarray.Untyped).SetLabels(ndarray.Labels{Dims: []string{"place"}}); err != nil {
		t.Fatal(err)
	}
	a := New(names, func(context.Context, string) (ndarray.Source, error) { return names, nil })
	for text, want := range map[string]string{
		"place=Rom": "Rom\x00", "place=Bern": "BernBern", "place=[Rom, Oslo]": "Rom\x00Oslo",
		"place=Ulm": `error selection "place=Ulm": no item is "Ulm"; there is place (Oslo to Bern, 4 items): not found`,
	} {
		part, err := a.Select(context.Background(), mustParse(text))
		got := fmt.Sprint("error ", err)
		if err == nil {
			items, err := part.View.Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			got = string(items)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
