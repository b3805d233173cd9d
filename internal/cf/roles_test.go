package cf

import (
	"slices"
	"testing"
)

func TestSameUnit(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"K", "K", true}, {"K", "kelvin", true}, {"K", "degC", false}, {"degC", "Celsius", true}, {"", "1", true},
		{"m s-1", "m/s", true}, {"m s-1", "m s**-1", true}, {"m.s^-1", "s-1 m", true}, {"m/s", "m s", false},
		{"mm/day", "kg m-2 s-1", false}, {"mm/day", "mm d-1", false}, {"mm/day", "mm days-1", true},
		{"degrees_north", "degree_N", true}, {"degrees_north", "degrees_east", false}, {"W m-2", "W/m2", true},
		{"J/kg/K", "J kg-1 K-1", true}, {"kg2", "kg+2", true}, {"10 m", "m", false},
		{"days since 2000-01-01", "days  since 2000-01-01", true},
		{"days since 2000-01-01", "days since 2000-01-02", false},
	} {
		if got := SameUnit(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

func TestAxisOf(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        Axis
	}{
		{"axis", "Y", Y}, {"standard_name", "longitude", X}, {"standard_name", "time", T}, {"units", "degrees_N", Y},
		{"units", "degree_east", X}, {"units", "days since 2000-01-01", T}, {"positive", "down", Z}, {"units", "hPa", Z},
		{"units", "m", 0}, {"axis", "W", 0}, {"standard_name", "air_temperature", 0}, {"long_name", "latitude", 0},
	} {
		if got := AxisOf(dtype("<f8"), attributes(c.name, c.value)); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.value, got, c.want)
		}
	}
	if got := AxisOf(dtype("<M8[D]"), nil); got != T {
		t.Errorf("dates: %q", got)
	}
}

func TestRoles(t *testing.T) {
	file := []Variable{
		{"time", []string{"time"}, 1, attributes("bounds", "time_bnds")},
		{"time_bnds", []string{"time", "bnds"}, 2, nil},
		{"height", nil, 0, nil},
		{"lat2d", []string{"y", "x"}, 2, nil},
		{"cloud", nil, 0, nil},
		{"crs", nil, 0, attributes("grid_mapping_name", "lambert_conformal_conic")},
		{"tas", []string{"time", "y", "x"}, 3, attributes("coordinates", "lat2d height", "grid_mapping", "utm: y x",
			"cell_measures", "area: areacella", "ancillary_variables", "tas_flag")},
		{"utm", []string{"one"}, 1, nil},
		{"areacella", []string{"y", "x"}, 2, nil},
		{"tas_flag", []string{"time", "y", "x"}, 3, nil},
		{"label", []string{"y"}, 1, nil},
	}
	want := []Role{Coordinate, Bounds, Coordinate, Coordinate, Coordinate, Mapping, Data, Mapping, Ancillary, Ancillary, Coordinate}
	if got := Roles(file, attributes("coordinates", "label")); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := Roles([]Variable{{Name: "a"}}, nil); got[0] != Data {
		t.Errorf("the only scalar is %v", got[0])
	}
}

func TestCompare(t *testing.T) {
	base := attributes("scale_factor", 0.5, "_FillValue", int64(-1), "units", "K")
	for _, c := range []struct {
		name string
		with []any
		what string
		kind Kind
	}{
		{"equal", []any{"scale_factor", float32(0.5), "missing_value", int64(-1), "units", "kelvin", "add_offset", 0.0, "long_name", "x"}, "", 0},
		{"packing", []any{"scale_factor", 0.25, "_FillValue", int64(-1), "units", "K"}, "packing", Encoded},
		{"fill", []any{"scale_factor", 0.5, "_FillValue", int64(-2), "units", "K"}, "missing items", Encoded},
		{"unit", []any{"scale_factor", 0.5, "_FillValue", int64(-1), "units", "degC"}, "unit", Foreign},
	} {
		got := Compare(Of(dtype("<i2"), base), Of(dtype("<i2"), attributes(c.with...)))
		if c.what == "" && got != nil || c.what != "" && (len(got) != 1 || got[0].What != c.what || got[0].Kind != c.kind) {
			t.Errorf("%s: %v", c.name, got)
		}
	}

	days := Of(dtype("<i4"), attributes("units", "days since 2000-01-01"))
	for units, want := range map[string]string{
		"days since 2000-1-1 00:00": "", "hours since 2000-01-01": "time unit", "days since 1999-01-01": "time unit", "days": "unit",
	} {
		got := Compare(days, Of(dtype("<i4"), attributes("units", units)))
		if want == "" && got != nil || want != "" && (len(got) != 1 || got[0].What != want) {
			t.Errorf("%s: %v", units, got)
		}
	}
	got := Compare(days, Of(dtype("<i4"), attributes("units", "days since 2000-01-01", "calendar", "360_day")))
	if len(got) != 1 || got[0] != (Difference{"calendar", "standard", "360_day", Foreign}) {
		t.Errorf("calendars: %v", got)
	}
	got = Compare(Of(dtype("|i1"), nil), Of(dtype("|i1"), attributes("_Unsigned", "true")))
	if len(got) != 1 || got[0] != (Difference{"sign", "signed", "unsigned", Encoded}) {
		t.Errorf("signs: %v", got)
	}
}
