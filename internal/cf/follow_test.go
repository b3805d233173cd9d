package cf

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/meta"
)

func TestWithMethod(t *testing.T) {
	of := meta.Map{{Key: "coordinates", Value: "lat lon"}, {Key: "cell_methods", Value: "area: mean"},
		{Key: "bounds", Value: "b"}, {Key: "units", Value: "K"}}
	got := WithMethod(nil, of, "max", []string{"time", "lev"})
	want := meta.Map{{Key: "coordinates", Value: "lat lon"}, {Key: "cell_methods", Value: "area: mean time: lev: maximum"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, c := range []struct {
		op   string
		dims []string
	}{{"argmax", []string{"time"}}, {"mean", nil}, {"mean", []string{"time", ""}}} {
		if got := WithMethod(of[3:], of[3:], c.op, c.dims); !reflect.DeepEqual(got, of[3:]) {
			t.Errorf("%v: %v", c, got)
		}
	}
}

func TestWithout(t *testing.T) {
	gone := func(name string) bool { return slices.Contains([]string{"time", "tb", "crs"}, name) }
	for _, c := range []struct{ name, value, want string }{
		{"coordinates", "lat time  lon", "lat lon"}, {"coordinates", "time", ""}, {"bounds", "tb", ""},
		{"coordinates", "lat  lon", "lat  lon"}, {"cell_measures", "area: a volume: tb", "area: a"},
		{"grid_mapping", "crs: x y", "x y"}, {"grid_mapping", "crs", ""}, {"units", "time", "time"},
	} {
		var want meta.Map
		if c.want != "" {
			want = meta.Map{{Key: c.name, Value: c.want}}
		}
		got := Without(meta.Map{{Key: c.name, Value: c.value}}, gone)
		if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s of %q: %v, want %q", c.name, c.value, got, c.want)
		}
	}
}

func TestRecorded(t *testing.T) {
	for _, c := range []struct{ before, want any }{{nil, "now"}, {"then", "now\nthen"}, {"", "now"}, {int64(3), int64(3)}} {
		var attributes meta.Map
		if c.before != nil {
			attributes = meta.Map{{Key: "title", Value: "x"}, {Key: "history", Value: c.before}}
		}
		if got, _ := Recorded(attributes, "now").Get("history"); got != c.want {
			t.Errorf("after %v: %v", c.before, got)
		}
		if v, _ := attributes.Get("history"); v != c.before {
			t.Errorf("the attributes have changed: %v", v)
		}
	}
}

// TestSameTimes compares units of times that are written in several ways.
func TestSameTimes(t *testing.T) {
	f8, err := meta.ParseDType("<f8")
	if err != nil {
		t.Fatal(err)
	}
	of := func(units, calendar string) *Meaning {
		return Of(f8, meta.Map{{Key: "units", Value: units}, {Key: "calendar", Value: calendar}})
	}
	one := of("hours since 1999-12-30 12:00:00", "standard")
	for _, c := range []struct {
		units, calendar string
		want            bool
	}{
		{"hours since 1999-12-30 12:00:00.000000", "gregorian", true},
		{"hour since 1999-12-30T12:00", "standard", true},
		{"hours since 1999-12-30 12:00:01", "standard", false},
		{"days since 1999-12-30 12:00:00", "standard", false},
		{"hours since 1999-12-30 12:00:00", "noleap", false},
		{"hours", "standard", false},
	} {
		if got := SameTimes(one, of(c.units, c.calendar)); got != c.want {
			t.Errorf("%q in %s: %v", c.units, c.calendar, got)
		}
	}
}
