package joins

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func pairs(list ...any) (m meta.Map) {
	for i := 0; i < len(list); i += 2 {
		m = append(m, meta.Pair{Key: list[i], Value: list[i+1]})
	}
	return m
}

// arrayOf makes an array with attributes, of one dimension that is called x.
func arrayOf[T any](items []T, attributes ...any) ndarray.Source {
	a, err := ndarray.FromSlice(items, ndarray.Shape{int64(len(items))}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: []string{"x"}, Attributes: pairs(attributes...)})
	}
	if err != nil {
		panic(err)
	}
	return a
}

// inputs are arrays with coordinates of x.
func inputs(arrays, along []ndarray.Source) (all []Input) {
	for i, a := range arrays {
		near := map[string]ndarray.Source{}
		if along != nil {
			near["x"] = along[i]
		}
		lookup := func(_ context.Context, name string) (ndarray.Source, error) { return near[name], nil }
		all = append(all, Input{fmt.Sprintf("in%d", i), coords.New(a, lookup)})
	}
	return all
}

// shown returns the values of an array, its dtype and its unit.
func shown(src ndarray.Source) string {
	ctx := context.Background()
	a := coords.New(src, nil)
	v, err := values.Of(src.(ndarray.Labelled), a.Meaning)
	if err != nil {
		return err.Error()
	}
	self := func(context.Context, string) (ndarray.Source, error) { return v, nil }
	axis := coords.New(v, self).Axes[0]
	if ok, err := axis.HasCoordinates(ctx); !ok {
		return fmt.Sprint("no coordinates: ", err)
	}
	texts, err := axis.Texts(ctx, 0, axis.Len)
	if err != nil {
		return err.Error()
	}
	return strings.Join(texts, " ") + " " + src.DType().String()
}

// joinCases are arrays, and what they are joined to: values, dtype.
func joinCases() map[string]struct {
	arrays []ndarray.Source
	want   string
} {
	type c = struct {
		arrays []ndarray.Source
		want   string
	}
	list := func(a ...ndarray.Source) []ndarray.Source { return a }
	return map[string]c{
		"same": {list(arrayOf([]int16{1, 2}, "scale_factor", 0.5), arrayOf([]int16{3}, "scale_factor", 0.5)),
			"0.5 1 1.5 <i2"},
		"packing": {list(arrayOf([]int16{1, 2}, "scale_factor", 0.5), arrayOf([]int16{3}, "scale_factor", 10.0)),
			"0.5 1 30 <f8"},
		"fills": {list(arrayOf([]int16{1, -1}, "_FillValue", int64(-1)), arrayOf([]int16{-1, 9}, "_FillValue", int64(9))),
			"1 NaN -1 NaN <f4"},
		"sign":           {list(arrayOf([]int8{-1}, "_Unsigned", "true"), arrayOf([]int8{-1})), "255 -1 <i2"},
		"sign and width": {list(arrayOf([]uint8{255}), arrayOf([]int16{-1}, "_Unsigned", "true")), "255 65535 <u2"},
		"other signs": {list(arrayOf([]int16{-1}, "_Unsigned", "true"), arrayOf([]uint8{255}, "_Unsigned", "false")),
			"65535 -1 <i4"},
		"fills of a sign": {list(arrayOf([]uint8{255, 1}, "_FillValue", int64(-1)),
			arrayOf([]int16{-1, 255}, "_Unsigned", "true", "_FillValue", int64(-1))), "255 1 NaN 255 <f4"},
		"one sign in two widths": {list(arrayOf([]int8{-1}, "_Unsigned", "true"), arrayOf([]int16{-1}, "_Unsigned", "true")),
			"255 65535 <i2"},
		"wider":               {list(arrayOf([]int8{-1}), arrayOf([]uint16{40000}), arrayOf([]float32{0.5})), "-1 40000 0.5 <f8"},
		"integers and floats": {list(arrayOf([]float32{0.5}), arrayOf([]int64{1 << 53})), "0.5 9.007199254740992e+15 <f8"},
		"inexact":             {list(arrayOf([]float32{0.5}), arrayOf([]int64{1<<53 + 2})), "beyond those that floats hold"},
		"no dtype":            {list(arrayOf([]int64{1}), arrayOf([]uint64{1})), "error: no dtype holds both"},
		"unit":                {list(arrayOf([]int8{1}, "units", "K"), arrayOf([]int8{1}, "units", "hPa")), "error: unit hPa"},
		"rain":                {list(arrayOf([]int8{1}, "units", "mm/day"), arrayOf([]int8{1}, "units", "kg m-2 s-1")), "error: unit kg"},
		"unit of one kind":    {list(arrayOf([]int8{1}, "units", "K"), arrayOf([]int8{1}, "units", "degC")), "1 274.15 <f8"},
		"factor":              {list(arrayOf([]int32{7}, "units", "km"), arrayOf([]int16{-2}, "units", "m")), "7 -0.002 <f8"},
		"other spelling":      {list(arrayOf([]float32{7}, "units", "hPa"), arrayOf([]float32{1}, "units", "mbar")), "7 1 <f4"},
		"packed in one kind": {list(arrayOf([]int16{7, -1}, "units", "Pa", "_FillValue", int64(-1), "scale_factor", 10.0),
			arrayOf([]float32{9, 1}, "units", "hPa", "missing_value", 9.0)), "70 NaN NaN 100 <f8"},
		"no unit":  {list(arrayOf([]int8{1}, "units", "K"), arrayOf([]int8{1})), "error: unit none"},
		"one unit": {list(arrayOf([]int8{1}, "units", "m s-1"), arrayOf([]int8{2}, "units", "m/s")), "1 2 |i1"},
		"name": {list(arrayOf([]int8{1}, "standard_name", "a"), arrayOf([]int8{1}, "standard_name", "b")),
			"error: standard name b"},
		"times": {list(arrayOf([]int32{1}, "units", "days since 2000-01-01"),
			arrayOf([]int64{30}, "units", "hours since 2000-01-02")), "2000-01-02T00:00 2000-01-03T06:00 <i8"},
		"fractions": {list(arrayOf([]float64{0.5}, "units", "days since 2000-01-01"),
			arrayOf([]int64{30}, "units", "hours since 2000-01-02")), "2000-01-01T12:00 2000-01-03T06:00 <f8"},
		"civil calendars": {list(arrayOf([]int32{1}, "units", "days since 2000-01-01", "calendar", "standard"),
			arrayOf([]int32{730122}, "units", "days since 0001-01-01", "calendar", "proleptic_gregorian")),
			"2000-01-02 2000-01-04 <i8"},
		"before the reform": {list(arrayOf([]int32{1}, "units", "days since 2000-01-01", "calendar", "standard"),
			arrayOf([]int32{1}, "units", "days since 0001-01-01", "calendar", "proleptic_gregorian")),
			"is no whole number"},
		"calendars": {list(arrayOf([]int32{1}, "units", "days since 2000-01-01", "calendar", "noleap"),
			arrayOf([]int32{1}, "units", "days since 2000-01-01", "calendar", "360_day")), "error: calendar 360_day"},
		"flags": {list(arrayOf([]int8{1}, "flag_values", []any{int64(1)}, "flag_meanings", "no"),
			arrayOf([]int8{1}, "flag_values", []any{int64(1)}, "flag_meanings", "yes")), "error: other flags"},
		"flags of floats": {list(arrayOf([]float32{1}), arrayOf([]float32{1}, "flag_values", []any{1.0},
			"flag_meanings", "yes")), "error: other flags"},
		"kinds": {list(arrayOf([]bool{true}), arrayOf([]int8{1})), "error: dtype |i1"},
	}
}

func TestForms(t *testing.T) {
	for name, c := range joinCases() {
		joined, err := Join(context.Background(), inputs(c.arrays, nil), Options{})
		if text, bad := strings.CutPrefix(c.want, "error: "); bad {
			if err == nil || !strings.Contains(err.Error(), text) || !errors.Is(err, cairn.ErrType) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := shown(joined.Source); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestOrderOfUnits joins arrays along coordinates in two units.
func TestOrderOfUnits(t *testing.T) {
	x := func(unit string, v ...float64) ndarray.Source { return arrayOf(v, "units", unit) }
	for want, along := range map[string][]ndarray.Source{
		"1 1.5 2 <f8":      {x("km", 1), x("m", 1500, 2000)},
		"out of order":     {x("m", 1500, 1600), x("km", 1)},
		"1.5 occurs twice": {x("km", 1, 1.5), x("m", 1500)},
	} {
		var arrays []ndarray.Source
		for _, a := range along {
			arrays = append(arrays, arrayOf(make([]float64, a.Shape()[0])))
		}
		joined, err := Join(context.Background(), inputs(arrays, along), Options{})
		got := fmt.Sprint(err)
		if err == nil {
			got = shown(joined.Coordinates[0].Source)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestOrder joins arrays whose coordinates are in order, out of order, or the same.
func TestOrder(t *testing.T) {
	x := func(v ...int32) ndarray.Source { return arrayOf(v, "units", "days since 2000-01-01") }
	list := func(a ...ndarray.Source) []ndarray.Source { return a }
	for _, c := range []struct {
		along  []ndarray.Source
		sort   bool
		want   string
		coords string
	}{
		{list(x(1, 2), x(3)), false, "1 2 3", "2000-01-02 2000-01-03 2000-01-04"},
		{list(x(3, 2), x(1)), false, "3 2 1", "2000-01-04 2000-01-03 2000-01-02"},
		{list(x(3), x(1, 2)), false, "error: out of order", ""},
		{list(x(3), x(1, 2)), true, "1 2 3", "2000-01-02 2000-01-03 2000-01-04"},
		{list(x(1, 3), x(2)), true, "1 2 3", "2000-01-02 2000-01-03 2000-01-04"},
		{list(x(1, 2), x(2)), false, "error: occurs twice", ""},
		{list(x(1, 2), x(2)), true, "error: occurs twice", ""},
		{list(x(5, 1, 3), x(2)), false, "5 1 3 2", "2000-01-06 2000-01-02 2000-01-04 2000-01-03"},
		{list(x(1), arrayOf([]int64{48}, "units", "hours since 2000-01-01")), false, "1 2", "2000-01-02 2000-01-03"},
	} {
		var arrays []ndarray.Source
		for _, a := range c.along { // items that are the days
			view := ndarray.ViewOf(a)
			raw, err := view.Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			var items []int32
			for i := 0; i < len(raw); i += view.TypeSize() {
				n := int32(raw[i])
				if view.TypeSize() == 8 {
					n /= 24
				}
				items = append(items, n)
			}
			arrays = append(arrays, arrayOf(items))
		}
		joined, err := Join(context.Background(), inputs(arrays, c.along), Options{Sort: c.sort})
		if text, bad := strings.CutPrefix(c.want, "error: "); bad {
			if err == nil || !strings.Contains(err.Error(), text) || !errors.Is(err, ErrOrder) {
				t.Errorf("%v, want %s", err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		got, at := shown(joined.Source), shown(joined.Coordinates[0].Source)
		if !strings.HasPrefix(got, c.want+" <") || !strings.HasPrefix(at, c.coords+" ") {
			t.Errorf("%s at %s, want %s at %s", got, at, c.want, c.coords)
		}
	}
}

// TestAppend brings items into the form of an array, exactly or not at all.
func TestAppend(t *testing.T) {
	to := arrayOf([]int16{1}, "scale_factor", 0.1, "_FillValue", int64(-1), "units", "K")
	for _, c := range []struct {
		more ndarray.Source
		want string
	}{
		{arrayOf([]int16{5, -1}, "scale_factor", 0.1, "_FillValue", int64(-1), "units", "K"), "0.5 NaN <i2"},
		{arrayOf([]int8{10, 9}, "scale_factor", 10.0, "add_offset", 5.0, "_FillValue", int64(9), "units", "K"), "105 NaN <i2"},
		{arrayOf([]float64{1.5}, "units", "K"), "1.5 <i2"},
		{arrayOf([]float64{1.55}, "units", "K"), "no item of dtype <i2 (items × 0.1) stands for 1.55 exactly"},
		{arrayOf([]float64{1e6}, "units", "K"), "no item"},
		{arrayOf([]float64{-0.1}, "units", "K"), "no item"}, // which would be missing
	} {
		joined, err := Append(context.Background(), inputs([]ndarray.Source{to}, nil)[0],
			inputs([]ndarray.Source{c.more}, nil), 0, false)
		if err != nil {
			t.Error(err)
			continue
		}
		part, err := labelledAs(joined.Parts[0], to)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(part); !strings.Contains(got, c.want) {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func labelledAs(src, other ndarray.Source) (ndarray.Source, error) {
	l, err := other.(ndarray.Labelled).Labels()
	return labelled{src, l}, err
}
