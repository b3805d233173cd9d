package cf

import (
	"math"
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
		{"mm/day", "kg m-2 s-1", false}, {"mm/day", "mm d-1", true}, {"mm/day", "mm days-1", true},
		{"degrees_north", "degree_N", true}, {"degrees_north", "degrees_east", false}, {"W m-2", "W/m2", true},
		{"J/kg/K", "J kg-1 K-1", true}, {"kg2", "kg+2", true}, {"10 m", "m", false},
		{"hPa", "mbar", true}, {"kg m-1 s-2", "Pa", true}, {"g kg-1", "1e-3", true}, {"10^-3", "0.001", true}, {"°C", "degC", true},
		{"meters per second", "m.s-1", true}, {"km", "kilometers", true}, {"N m", "mN", false}, {"W m-2 degC-1", "W/m2/K", true},
		{"(m)", "m", false}, {"psu", "PSU", false}, {"m s⁻¹", "m/s", true}, {"s", "s-1", false}, {"Sv", "m2 s-2", false},
		{"days since 2000-01-01", "days  since 2000-01-01", true},
		{"days since 2000-01-01", "days since 2000-01-02", false},
	} {
		if got := SameUnit(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

// The values are those of UDUNITS 2.2.28, by cf-units 3.3, but for the last rows. Of 180 units all
// pairs were compared: UDUNITS also converts to reciprocals, and takes angles and counts for
// numbers without a unit; a millibar is not its "mb".
func TestConversionOf(t *testing.T) {
	for _, c := range []struct {
		from, to    string
		value, want float64
	}{
		{"degC", "K", 20, 293.15}, {"K", "Celsius", 0, -273.15}, {"degF", "degC", 50, 10}, {"hPa", "Pa", 1013.25, 101325},
		{"dbar", "Pa", 1, 1e4}, {"atm", "hPa", 1, 1013.25}, {"mm", "m", 3, 0.003}, {"km", "m", 1.5, 1500}, {"ft", "m", 10, 3.048},
		{"mm/day", "m s-1", 86.4, 1e-6}, {"kg m-2 s-1", "g m-2 day-1", 1, 86400000}, {"%", "1", 50, 0.5}, {"g/kg", "kg kg-1", 5, 0.005},
		{"ug m-3", "kg m-3", 3, 3e-9}, {"MJ m-2", "J m**-2", 2, 2e6}, {"K km-1", "K m-1", 6.5, 0.0065}, {"degC day-1", "K s-1", 86400, 1},
		{"knots", "m s-1", 3600, 1852}, {"hours", "days", 36, 1.5}, {"umol/kg", "mol kg-1", 2, 2e-6}, {"10-6 kg", "g", 5000, 5},
		{"km2", "m2", 2, 2e6}, {"L s-1", "m3 s-1", 500, 0.5}, {"mb", "hPa", 2, 2},
		{"mm/day", "kg m-2 s-1", 1, nan}, {"", "1", 1, nan}, {"", "%", 1, nan}, {"s", "s-1", 1, nan}, {"psu", "g kg-1", 1, nan},
		{"degrees_north", "degrees_east", 1, nan}, {"rad", "degrees", 1, nan}, {"dBZ", "dBZ", 1, nan}, {"K @ 1", "K", 1, nan},
	} {
		by, ok := ConversionOf(c.from, c.to)
		values := []float64{c.value}
		near := 4e-16 * math.Abs(c.want)
		if by.Shift != 0 {
			near = 1e-13
		}
		if by.Convert(values); ok == math.IsNaN(c.want) || ok && math.Abs(values[0]-c.want) > near {
			t.Errorf("%v %s are %v %s (%v), want %v", c.value, c.from, values[0], c.to, ok, c.want)
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
			"cell_measures", "area: areacella", "ancillary_variables", "tas_flag", "quantization", "info")},
		{"info", []string{"one"}, 1, nil},
		{"utm", []string{"one"}, 1, nil},
		{"areacella", []string{"y", "x"}, 2, nil},
		{"tas_flag", []string{"time", "y", "x"}, 3, nil},
		{"label", []string{"y"}, 1, nil},
	}
	want := []Role{Coordinate, Bounds, Coordinate, Coordinate, Coordinate, Mapping, Data, Ancillary, Mapping, Ancillary, Ancillary, Coordinate}
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
		{"unit", []any{"scale_factor", 0.5, "_FillValue", int64(-1), "units", "hPa"}, "unit", Foreign},
		{"unit of one kind", []any{"scale_factor", 0.5, "_FillValue", int64(-1), "units", "degC"}, "unit", Linear},
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
