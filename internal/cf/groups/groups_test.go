package groups

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// axisOf returns an axis with coordinates of a dtype, whose items are b, and attributes in pairs.
func axisOf(t *testing.T, name, dtype string, b []byte, attributes ...string) *coords.Axis {
	t.Helper()
	var m meta.Map
	for i := 0; i < len(attributes); i += 2 {
		m = append(m, meta.Pair{Key: attributes[i], Value: attributes[i+1]})
	}
	d, err := meta.ParseDType(dtype)
	if err != nil {
		t.Fatal(err)
	}
	src, err := array(dtype, ndarray.Shape{int64(len(b) / d.Size())}, b,
		ndarray.Labels{Dims: []string{name}, Attributes: m})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Along(src, name)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func int64s(values ...int64) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// steps returns n numbers from first on.
func steps(first, step int64, n int) (values []int64) {
	for i := range n {
		values = append(values, first+int64(i)*step)
	}
	return values
}

// coordinatesOf returns the coordinates of a division as texts.
func coordinatesOf(t *testing.T, src ndarray.Source) string {
	t.Helper()
	if src == nil {
		return "none"
	}
	x, err := Along(src, "groups")
	if err != nil {
		t.Fatal(err)
	}
	if have, err := x.HasCoordinates(t.Context()); err != nil || !have {
		t.Fatalf("no coordinates: %v", err)
	}
	all, err := x.Texts(t.Context(), 0, x.Len)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func TestTimes(t *testing.T) {
	days := steps(0, 1, 1000)
	for _, c := range []struct {
		key             Key
		units, calendar string
		values          []int64
		sizes           string // of the first groups
		name, at        string // the coordinates begin with
		ends            string // so do the upper bounds
	}{
		{must(Parse("month")), "days since 2000-01-15", "", days, "[17 29 31", "time", "2000-01-01 2000-02-01 2000-03-01", "2000-02-01 2000-03-01"},
		{must(Parse("month")), "days since 2000-01-15", "noleap", days, "[17 28 31", "time", "2000-01-01 2000-02-01 2000-03-01", "2000-02-01 2000-03-01"},
		{must(Parse("month")), "days since 2000-01-15", "360_day", days, "[16 30 30", "time", "2000-01-01 2000-02-01 2000-03-01", "2000-02-01 2000-03-01"},
		{must(Parse("year")), "days since 2000-01-15", "", days, "[352 365 283]", "time", "2000-01-01 2001-01-01 2002-01-01", "2001-01-01"},
		{must(Parse("season")), "days since 2000-01-15", "", days, "[46 92 92 91 90", "time", "1999-12-01 2000-03-01 2000-06-01", "2000-03-01"},
		{must(Parse("season-of-year")), "days since 2000-01-15", "", days, "[226 276 276 222]", "season", "DJF MAM JJA SON", ""},
		{must(Parse("month-of-year")), "days since 2000-03-15", "", days[:40], "[17 23]", "month", "3 4", ""},
		{must(Parse("day-of-year")), "days since 1999-12-31", "", days[:3], "[1 1 1]", "dayofyear", "1 2 365", ""},
		{must(Parse("day-of-year")), "days since 2000-12-30", "", days[:3], "[1 1 1]", "dayofyear", "1 365 366", ""},
		{must(Parse("weekday")), "days since 2024-01-01", "", days[:9], "[2 2 1 1 1 1 1]", "weekday", "0 1 2 3 4 5 6", ""},
		{must(Parse("hour-of-day")), "hours since 2000-01-01 03:00", "", steps(0, 6, 9), "[3 2 2 2]", "hour", "3 9 15 21", ""},
		{must(Parse("day")), "hours since 2000-02-28 06:00", "", steps(0, 6, 9), "[3 4 2]", "time", "2000-02-28 2000-02-29 2000-03-01", "2000-02-29"},
		{must(Parse("hour")), "minutes since 2000-02-28 06:00", "", steps(50, 5, 4), "[2 2]", "time", "2000-02-28T06:00 2000-02-28T07:00", "2000-02-28T07:00 2000-02-28T08:00"},
		{every("6h"), "hours since 2000-01-01 01:00", "", steps(0, 1, 24), "[5 6 6 6 1]", "time", "2000-01-01T00:00 2000-01-01T06:00", "2000-01-01T06:00"},
		{every("10d"), "days since 2000-01-05 12:00", "", days[:25], "[10 10 5]", "time", "2000-01-05 2000-01-15", "2000-01-15"},
		{every("3mon"), "days since 2000-02-05", "", days[:100], "[86 14]", "time", "2000-02-01 2000-05-01", "2000-05-01 2000-08-01"},
		{every("2y"), "days since 1999-02-05", "", days, "[727 273]", "time", "1999-02-01 2001-02-01", "2001-02-01"},
		{every("1w"), "days since 2000-02-05", "", days[:14], "[7 7]", "time", "2000-02-05 2000-02-12", ""},
		// More nanoseconds than 64 bits have.
		{every("106752d"), "days since 2000-02-05", "", steps(0, 106752, 3), "[1 1 1]", "time", "2000-02-05 2292-05-16 2584-08-25", "2292-05-16"},
		{every("2147483647w"), "days since 2000-02-05", "", days[:14], "[14]", "time", "2000-02-05", ""},
		// Days that are not there: the calendar changed in October 1582.
		{must(Parse("month")), "days since 1582-10-01", "standard", days[:30], "[21 9]", "time", "1582-10-01 1582-11-01", "1582-11-01 1582-12-01"},
		// Against the order of time, the groups are in it.
		{must(Parse("month")), "days since 2000-03-15", "", steps(0, -1, 30), "[15 15]", "time", "2000-02-01 2000-03-01", ""},
	} {
		name := fmt.Sprintf("%s of %s %s", c.key, c.units, c.calendar)
		x := axisOf(t, "time", "<i8", int64s(c.values...), "units", c.units, "calendar", c.calendar)
		d, err := c.key.Divide(t.Context(), x)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}

		sizes := make([]int, d.Count)
		for _, n := range d.Of {
			sizes[n]++
		}
		if d.Name != c.name || !strings.HasPrefix(fmt.Sprint(sizes), c.sizes) {
			t.Errorf("%s: %d groups of %v along %s, want %s and %s", name, d.Count, sizes, d.Name, c.sizes, c.name)
		}
		if at := coordinatesOf(t, d.Coordinates); !strings.HasPrefix(at, c.at) {
			t.Errorf("%s has coordinates %s, want %s", name, at, c.at)
		}
		if c.ends == "" {
			continue
		}
		labels, err := ndarray.LabelsOf(d.Coordinates)
		if err != nil {
			t.Fatal(err)
		}
		upper := ndarray.ViewOf(relabelled{ndarray.ViewOf(d.Bounds).Slice(ndarray.From(0), ndarray.Index(1)), labels})
		if at := coordinatesOf(t, upper); !strings.HasPrefix(at, c.ends) {
			t.Errorf("%s ends at %s, want %s", name, at, c.ends)
		}
	}
}

// relabelled has other labels than its source.
type relabelled struct {
	ndarray.Source
	labels ndarray.Labels
}

func (r relabelled) Labels() (ndarray.Labels, error) { return r.labels, nil }

func must(k Key, err error) Key {
	if err != nil {
		panic(err)
	}
	return k
}

func every(text string) Key {
	all, err := ParseEvery(text)
	if err != nil {
		panic(err)
	}
	return all[0]
}

// The coordinates of periods have the dtype of the times, if that has them exactly.
func TestPeriodsKeepTheDType(t *testing.T) {
	halves := binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.25))
	for _, c := range []struct {
		dtype, units string
		items        []byte
		label        Label
		want, at     string
	}{
		{"<i8", "days since 2000-01-15", int64s(0), Start, "<i8", "2000-01-01"},
		{"<i4", "days since 2000-01-15", []byte{3, 0, 0, 0}, End, "<i4", "2000-02-01"},
		{"<i8", "days since 2000-01-15", int64s(0), Middle, "<f8", "2000-01-16T12:00"},
		{"<i8", "hours since 2000-01-15", int64s(0), Middle, "<i8", "2000-01-16T12:00"},
		{"<i8", "days since 2000-01-15 06:00", int64s(0), Start, "<f8", "2000-01-01"},
		{"<f8", "days since 2000-01-15", halves, Start, "<f8", "2000-01-01"},
		{"<i2", "hours since 2000-01-15", []byte{3, 0}, Start, "<i2", "2000-01-01"},
		{"<i2", "seconds since 2000-01-15", []byte{3, 0}, Start, "<f8", "2000-01-01"},
		{"<M8[ns]", "", int64s(948_000_000_000_000_000), Start, "<M8[ns]", "2000-01-01"},
		{"<M8[D]", "", int64s(11_000), End, "<M8[D]", "2000-03-01"},
		{"<M8[M]", "", int64s(361), Start, "<M8[s]", "2000-02-01"},
		{"<f8", "day as %Y%m%d.%f", float64s([]float64{20000215.5}), Start, "<f8", "2000-02-01"},
	} {
		k := must(Parse("month"))
		k.Label = c.label
		d, err := k.Divide(t.Context(), axisOf(t, "time", c.dtype, c.items, "units", c.units))
		if err != nil {
			t.Errorf("%s %s: %v", c.dtype, c.units, err)
			continue
		}
		if got := d.Coordinates.DType().String(); got != c.want {
			t.Errorf("%s %s: the coordinates have dtype %s, want %s", c.dtype, c.units, got, c.want)
		}
		if at := coordinatesOf(t, d.Coordinates); !strings.HasPrefix(at, c.at) {
			t.Errorf("%s %s: the coordinate is %s, want %s", c.dtype, c.units, at, c.at)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		key   Key
		dtype string
		items []byte
		of    []int
		count int
		at    string
	}{
		{must(Parse("bins(x, 0, 1, 10)")), "<f8", float64s([]float64{-1, 0, 0.5, 1, 10, 11, math.NaN()}),
			[]int{-1, 0, 0, 1, 1, -1, -1}, 2, "0.5 5.5"},
		{must(Parse("bins(x, 0:1:0.1)")), "<f8", float64s([]float64{0.05, 0.95, 1}), []int{0, 9, 9}, 10, "0.05 0.15"},
		{must(Parse("bins(x, 0:1000:250, 2000)")), "<f8", float64s([]float64{300, 1500}), []int{1, 4}, 5, "125 375 625 875 1500"},
		{must(Parse("x")), "<i8", int64s(7, 3, 7, 9, 3), []int{1, 0, 1, 2, 0}, 3, "3 7 9"},
		{must(Parse("x")), "<f8", float64s([]float64{2.5, math.NaN(), 0.5}), []int{1, -1, 0}, 2, "0.5 2.5"},
		{must(Parse("x")), "|S2", []byte("b\x00aab\x00"), []int{1, 0, 1}, 2, "aa b"},
		{every("x=2"), "<f8", float64s([]float64{1, 2, 3, 4, 7}), []int{0, 0, 1, 1, 2}, 3, "1.5 3.5 7"},
		{every("x=2"), "|S1", []byte("abc"), []int{0, 0, 1}, 2, "none"},
	} {
		d, err := c.key.Divide(t.Context(), axisOf(t, "x", c.dtype, c.items, "bounds", "gone"))
		if err != nil {
			t.Errorf("%s: %v", c.key, err)
			continue
		}
		if !slices.Equal(d.Of, c.of) || d.Count != c.count {
			t.Errorf("%s: %d groups %v, want %d and %v", c.key, d.Count, d.Of, c.count, c.of)
		}
		if at := coordinatesOf(t, d.Coordinates); !strings.HasPrefix(at, c.at) {
			t.Errorf("%s has coordinates %s, want %s", c.key, at, c.at)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, text := range []string{"", "bins(x)", "bins(x, 1)", "bins(x, 2, 1)", "bins(x, 1, 1)", "bins(x, 0, 1", "bins(x, 0:1)",
		"bins(x, 0:1:-1)", "bins(, 0, 1)", "bins(x, a, b)", "bins(x, 0:inf:1)", "bins(x, 0, nan, 1)", "a b", "month, year"} {
		if k, err := Parse(text); !errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("Parse(%q) = %v, %v", text, k, err)
		}
	}
	if _, err := Parse("bins(x, 0:1:1e-30)"); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("too many edges: %v", err)
	}
	if _, err := Parse("bins(x, 0:1000000:1, 2000000:3000000:1)"); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("too many edges of two ranges: %v", err)
	}
	for _, text := range []string{"", "h", "6", "0h", "-1d", "6 hours", "lat", "lat=", "lat=0", "lat=-1", "6h,", "99999999999h", "lat=1.5"} {
		if k, err := ParseEvery(text); !errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("ParseEvery(%q) = %v, %v", text, k, err)
		}
	}

	numbers := axisOf(t, "x", "<f8", float64s([]float64{1}))
	noleap := axisOf(t, "time", "<i8", int64s(1), "units", "days since 2000-01-01", "calendar", "noleap")
	for _, c := range []struct {
		key  string
		x    *coords.Axis
		kind error
	}{
		{"month", numbers, cairn.ErrType},
		{"weekday", noleap, cairn.ErrUnsupported},
		{"bins(time, 0, 1)", noleap, cairn.ErrType},
		{"month", axisOf(t, "time", "<M8[s]", int64s(math.MinInt64)), cairn.ErrUnsupported},
		{"month", axisOf(t, "time", "<i8", nil, "units", "days since 2000-01-01"), cairn.ErrBounds},
	} {
		if _, err := must(Parse(c.key)).Divide(context.Background(), c.x); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", c.key, err, c.kind)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range append(Keys(), "bins(x, 0:1:0.25, 7)", "6h, lat=4", "3mon") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := Parse(text)
		if err == nil && k.edges != nil && !slices.IsSorted(k.edges) {
			t.Errorf("%q has edges %v", text, k.edges)
		}
		all, err := ParseEvery(text)
		for _, k := range all {
			if err == nil && k.count < 1 && k.runs == nil {
				t.Errorf("%q has a step of %d", text, k.count)
			}
		}
	})
}

// TestBoundsOfBlocks has bounds of successive indexes cover those of their items, in their order.
func TestBoundsOfBlocks(t *testing.T) {
	ctx := context.Background()
	source := func(items []float64, shape ndarray.Shape, dims []string, attributes meta.Map) ndarray.Source {
		u, err := ndarray.FromSlice(items, shape, nil)
		if err == nil {
			err = u.SetLabels(ndarray.Labels{Dims: dims, Attributes: attributes})
		}
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for want, bounds := range map[string][]float64{
		"[20 40 10 20]": {30, 40, 20, 30, 10, 20}, "[40 20 20 10]": {40, 30, 30, 20, 20, 10},
	} {
		near := map[string]ndarray.Source{
			"lat":  source([]float64{35, 25, 15}, ndarray.Shape{3}, []string{"lat"}, meta.Map{{Key: "bounds", Value: "ends"}}),
			"ends": source(bounds, ndarray.Shape{3, 2}, []string{"lat", "nv"}, nil),
		}
		find := func(_ context.Context, name string) (ndarray.Source, error) { return near[name], nil }
		keys, err := ParseEvery("lat=2")
		if err != nil {
			t.Fatal(err)
		}
		d, err := keys[0].Divide(ctx, coords.New(near["lat"], find).Axes[0])
		if err != nil || d.Bounds == nil {
			t.Fatal(d, err)
		}
		got, err := ndarray.ReadAny(ctx, d.Bounds)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%v, %v, want %s", got, err, want)
		}
	}
}
