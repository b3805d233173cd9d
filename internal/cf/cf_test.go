package cf

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
)

var nan = math.NaN()

// attributes makes a map of names and values.
func attributes(pairs ...any) (m meta.Map) {
	for i := 0; i < len(pairs); i += 2 {
		m = append(m, meta.Pair{Key: pairs[i], Value: pairs[i+1]})
	}
	return m
}

func same(a, b float64) bool { return a == b || a != a && b != b }

// encoded returns numbers as little-endian items of a dtype.
func encoded(d meta.DType, numbers []float64) (raw []byte) {
	for _, v := range numbers {
		n := uint64(int64(v))
		switch {
		case d.Kind() == 'f' && d.Size() == 4:
			n = uint64(math.Float32bits(float32(v)))
		case d.Kind() == 'f':
			n = math.Float64bits(v)
		}
		raw = append(raw, binary.LittleEndian.AppendUint64(nil, n)[:d.Size()]...)
	}
	return raw
}

// The values and dtypes are those of xarray 2026.9, but for what the last rows say.
func TestValues(t *testing.T) {
	f32 := func(v float64) float32 { return float32(v) }
	tenth := float64(f32(0.1))
	for name, c := range map[string]struct {
		stored     string
		attributes meta.Map
		items      []float64
		values     string
		want       []float64
	}{
		"plain":          {"<i2", attributes("units", "K"), []float64{1}, "<i2", []float64{1}},
		"doubles":        {"<i2", attributes("scale_factor", 0.01, "add_offset", 10.0), []float64{-1, 100}, "<f8", []float64{float64(-1*0.01) + 10, 11}},
		"singles":        {"<i2", attributes("scale_factor", f32(0.1), "add_offset", f32(1)), []float64{3}, "<f4", []float64{float64(f32(float64(f32(3*tenth)) + 1))}},
		"wide singles":   {"<i4", attributes("scale_factor", f32(0.1), "add_offset", f32(1)), []float64{3}, "<f8", []float64{float64(3*tenth) + 1}},
		"single factor":  {"<i4", attributes("scale_factor", f32(0.5)), []float64{16777217}, "<f4", []float64{8388608}},
		"single offset":  {"<i2", attributes("add_offset", f32(0.1)), []float64{1}, "<f8", []float64{1 + tenth}},
		"mixed":          {"<i2", attributes("scale_factor", f32(0.5), "add_offset", 1.0), []float64{1}, "<f8", []float64{1.5}},
		"whole factor":   {"<i2", attributes("scale_factor", int64(2)), []float64{3}, "<f8", []float64{6}},
		"list of one":    {"<i2", attributes("scale_factor", []any{0.5}), []float64{3}, "<f8", []float64{1.5}},
		"list of two":    {"<i2", attributes("scale_factor", []any{0.5, 1.0}), []float64{3}, "<i2", []float64{3}},
		"text":           {"<i2", attributes("scale_factor", "0.5", "_FillValue", "x"), []float64{3}, "<i2", []float64{3}},
		"fill":           {"|i1", attributes("_FillValue", int64(3)), []float64{3, 4}, "<f4", []float64{nan, 4}},
		"wide fill":      {"<i4", attributes("_FillValue", int64(3)), []float64{3, 4}, "<f8", []float64{nan, 4}},
		"fills":          {"|u1", attributes("_FillValue", int64(3), "missing_value", []any{int64(4), int64(5)}), []float64{3, 4, 5, 6}, "<f4", []float64{nan, nan, nan, 6}},
		"NaN of ints":    {"<i2", attributes("_FillValue", nan), []float64{3}, "<i2", []float64{3}},
		"fraction":       {"<i2", attributes("missing_value", -999.9), []float64{-999}, "<f4", []float64{-999}},
		"floats":         {"<f4", attributes("_FillValue", f32(1e20)), []float64{1e20, 1}, "<f4", []float64{nan, 1}},
		"NaN":            {"<f4", attributes("_FillValue", nan), []float64{nan, 1}, "<f4", []float64{nan, 1}},
		"infinite":       {"<f8", attributes("missing_value", math.Inf(1)), []float64{math.Inf(1), 1}, "<f8", []float64{nan, 1}},
		"NaN and packed": {"<f4", attributes("_FillValue", f32(nan), "scale_factor", 0.1), []float64{nan, 3}, "<f4", []float64{nan, float64(f32(3 * 0.1))}},
		"unsigned":       {"|i1", attributes("_Unsigned", "true"), []float64{-1, 1}, "|u1", []float64{255, 1}},
		"GOES":           {"<i2", attributes("_Unsigned", "true", "_FillValue", int64(-1), "scale_factor", f32(0.01), "add_offset", f32(0)), []float64{-1, -2, 100}, "<f4", []float64{nan, float64(f32(65534 * float64(f32(0.01)))), 1}},
		"signed":         {"|u1", attributes("_Unsigned", "false", "_FillValue", int64(255)), []float64{255, 254}, "<f4", []float64{nan, -2}},
		"unsigned float": {"<f4", attributes("_Unsigned", "true"), []float64{-1}, "<f4", []float64{-1}},
		"both":           {"<i2", attributes("_FillValue", int64(-1), "scale_factor", 0.5), []float64{-1, 3}, "<f8", []float64{nan, 1.5}},

		// xarray compares float32 with float64, and finds nothing; NetCDF's own readers round.
		"rounded": {"<f4", attributes("missing_value", 0.1), []float64{0.1, 2}, "<f4", []float64{nan, 2}},
		// xarray takes the bits of _FillValue only.
		"unsigned missing_value": {"|i1", attributes("_Unsigned", "true", "missing_value", int64(-128)), []float64{-128, 1}, "<f4", []float64{nan, 1}},
	} {
		m := Of(dtype(c.stored), c.attributes)
		if m.Values.String() != c.values {
			t.Errorf("%s: dtype %s, want %s", name, m.Values, c.values)
		}
		got := make([]float64, len(c.items))
		m.Convert(got, encoded(m.Stored, c.items))
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if m.Plain() != (m.Values.Equal(m.Stored) && slices.EqualFunc(got, c.items, same)) {
			t.Errorf("%s: plain %v", name, m.Plain())
		}
	}
}

func TestOtherItems(t *testing.T) {
	all := attributes("scale_factor", 2.0, "_FillValue", int64(0), "_Unsigned", "true", "valid_min", 1.0)
	for _, text := range []string{"|b1", "|S3", "<U2", "<c8", "<M8[D]", "<m8[s]", "|V4", "[('a', '<i2')]"} {
		m := Of(dtype(text), all)
		if !m.Plain() || m.Numbers() || !m.Values.Equal(m.Stored) || len(m.ValueAttributes(all)) != len(all) {
			t.Errorf("%s: %+v", text, m)
		}
		if m.Mask(); m.Valid != nil || !m.Plain() {
			t.Errorf("%s: has a range", text)
		}
	}
}

func TestValueAttributes(t *testing.T) {
	all := attributes("units", "K", "scale_factor", 2.0, "_FillValue", int64(0), "valid_min", int64(1), "valid_max", int64(9))
	got := Of(dtype("<i2"), all).ValueAttributes(all)
	if len(got) != 2 || got[0].Value != "K" || got[1].Key != "_FillValue" || !math.IsNaN(got[1].Value.(float64)) {
		t.Errorf("got %v", got)
	}
	all = attributes("_FillValue", float32(1), "valid_min", float32(2))
	got = Of(dtype(">f4"), all).ValueAttributes(all)
	if len(got) != 2 || got[0].Value != float32(2) || !math.IsNaN(float64(got[1].Value.(float32))) {
		t.Errorf("got %v", got)
	}
	if got := Of(dtype("<i2"), attributes("add_offset", 1.0)).ValueAttributes(attributes("add_offset", 1.0)); got != nil {
		t.Errorf("got %v: nothing can be missing", got)
	}

	// The other sign changes large numbers alone.
	for most, left := range map[int64]int{9: 1, 65535: 0} {
		all := attributes("_Unsigned", "false", "valid_max", most)
		if got := Of(dtype("<u2"), all).ValueAttributes(all); len(got) != left {
			t.Errorf("valid up to %d: got %v", most, got)
		}
	}
}

func TestValid(t *testing.T) {
	for name, c := range map[string]struct {
		attributes meta.Map
		want       []float64
	}{
		"min":      {attributes("valid_min", int64(0)), []float64{nan, 0, 50, 100}},
		"range":    {attributes("valid_range", []any{int64(1), int64(99)}), []float64{nan, nan, 50, nan}},
		"packed":   {attributes("scale_factor", 0.5, "valid_max", int64(60)), []float64{-0.5, 0, 25, nan}},
		"unpacked": {attributes("scale_factor", 0.5, "valid_max", 24.0), []float64{-0.5, 0, nan, nan}},
		"unsigned": {attributes("_Unsigned", "true", "valid_range", []any{int64(1), int64(-1)}), []float64{255, nan, 50, 100}},
		"falling":  {attributes("scale_factor", -0.5, "valid_range", []any{int64(0), int64(60)}), []float64{nan, 0, -25, nan}},
		"broken":   {attributes("valid_range", []any{int64(1)}), []float64{-1, 0, 50, 100}},
	} {
		m := Of(dtype("|i1"), c.attributes)
		got := make([]float64, 4)
		if valid := m.OfValid(); valid != nil {
			values := make([]float64, 4)
			m.Convert(values, []byte{255, 0, 50, 100})
			valid.Convert(got, encoded(valid.Stored, values))
			if !slices.EqualFunc(got, c.want, same) {
				t.Errorf("%s: of values: %v, want %v", name, got, c.want)
			}
		}
		if m.Mask(); m.OfValid() != nil {
			t.Errorf("%s: the range has been applied, and is there", name)
		}
		m.Convert(got, []byte{255, 0, 50, 100})
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if m.Valid != nil && m.Values.Kind() != 'f' {
			t.Errorf("%s: dtype %s", name, m.Values)
		}
	}
}

// TestLongMissing has missing items that no float64 is. xarray rounds items to float64 and masks
// their neighbours too; netCDF4-python masks what is masked here.
func TestLongMissing(t *testing.T) {
	most := uint64(math.MaxUint64)
	for name, c := range map[string]struct {
		stored     string
		attributes meta.Map
		items      []uint64
		missing    []bool
		note       string
	}{
		"default fill": {"<i8", attributes("_FillValue", int64(math.MinInt64+2)), []uint64{1<<63 + 2, 1<<63 + 1, 1 << 63, 1<<63 + 3}, []bool{true, false, false, false}, "-9223372036854775806"},
		"big-endian":   {">i8", attributes("missing_value", int64(1<<53+1)), []uint64{1 << 53, 1<<53 + 1, 1<<53 + 2}, []bool{false, true, false}, "9007199254740993"},
		"unsigned":     {"<u8", attributes("_FillValue", most-1), []uint64{most, most - 1, most - 2}, []bool{false, true, false}, "18446744073709551614"},
		"other sign":   {"<i8", attributes("_Unsigned", "true", "_FillValue", int64(-2)), []uint64{most, most - 1}, []bool{false, true}, "18446744073709551614"},
		"too large":    {"<i8", attributes("_FillValue", most), []uint64{most, math.MaxInt64}, []bool{false, false}, "18446744073709551615"},
		"a list":       {"<i8", attributes("missing_value", []any{int64(1<<53 + 1), 7.0}), []uint64{1 << 53, 1<<53 + 1, 7}, []bool{false, true, true}, "9007199254740993 or 7"},
		"packed":       {"<i8", attributes("_FillValue", int64(math.MaxInt64), "scale_factor", 0.5), []uint64{math.MaxInt64, math.MaxInt64 - 1}, []bool{true, false}, "9223372036854775807"},
	} {
		m := Of(dtype(c.stored), c.attributes)
		order := binary.ByteOrder(binary.LittleEndian)
		if m.Stored.BigEndian() {
			order = binary.BigEndian
		}
		raw := make([]byte, 8*len(c.items))
		for i, n := range c.items {
			order.PutUint64(raw[8*i:], n)
		}
		got := make([]float64, len(c.items))
		m.Convert(got, raw)
		for i, v := range got {
			if math.IsNaN(v) != c.missing[i] {
				t.Errorf("%s: item %d is %v", name, i, v)
			}
		}
		if !strings.HasSuffix(m.Note(), "missing where items are "+c.note) {
			t.Errorf("%s: %q", name, m.Note())
		}
	}
}

func TestWithoutNaN(t *testing.T) {
	all := attributes("_FillValue", []any{nan, 1.0}, "units", "K", "missing_value", []any{nan, float32(nan)}, "levels", nan)
	if got := WithoutNaN(all, MissingValue); len(got) != 3 || len(got[0].Value.([]any)) != 2 {
		t.Errorf("of missing_value: %v", got)
	}
	got := WithoutNaN(all, FillValue, MissingValue)
	if len(got) != 3 || len(got[0].Value.([]any)) != 1 || len(all[0].Value.([]any)) != 2 {
		t.Errorf("of both: %v of %v", got, all)
	}
}

func TestFlags(t *testing.T) {
	m := Of(dtype("|u1"), attributes("flag_meanings", "sea land ice", "flag_values", []any{int64(0), int64(1), int64(2)}))
	if len(m.Flags) != 3 || m.Flags[1] != (Flag{1, math.MaxUint64, "land"}) {
		t.Errorf("values: %v", m.Flags)
	}
	m = Of(dtype("|u1"), attributes("flag_meanings", "wet hot", "flag_masks", []any{int64(1), int64(6)}, "flag_values", []any{int64(1), int64(4)}))
	if len(m.Flags) != 2 || m.Flags[1] != (Flag{4, 6, "hot"}) {
		t.Errorf("masks: %v", m.Flags)
	}
	if m = Of(dtype("|u1"), attributes("flag_meanings", "wet hot", "flag_values", int64(1))); m.Flags != nil {
		t.Errorf("of another number: %v", m.Flags)
	}
}

func TestTimes(t *testing.T) {
	m := Of(dtype("<f8"), attributes("units", "hours since 1900-01-01", "calendar", "noleap"))
	if m.Time == nil || m.Unit != "hours since 1900-01-01" || m.Calendar != "noleap" {
		t.Errorf("%+v", m)
	}
	if m := Of(dtype("<f8"), attributes("units", "hours")); m.Time != nil {
		t.Errorf("durations are times: %+v", m)
	}
	if fill, ok := Of(dtype(">i4"), nil).DefaultFill(); fill != -2147483647 || !ok {
		t.Errorf("fill %v %v", fill, ok)
	}
	if fill, ok := Of(dtype("<f2"), nil).DefaultFill(); ok {
		t.Errorf("fill %v of 16 bits", fill)
	}
}

func TestNote(t *testing.T) {
	m := Of(dtype("|i1"), attributes("_Unsigned", "true", "scale_factor", 0.5, "add_offset", -3.0, "missing_value", []any{int64(-1), int64(0)}))
	if want := "items are unsigned, items × 0.5 - 3, missing where items are 255 or 0"; m.Note() != want {
		t.Errorf("%q, want %q", m.Note(), want)
	}
	if note := Of(dtype("<f4"), attributes("_FillValue", nan)).Note(); note != "" {
		t.Errorf("NaN: %q", note)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("<i2", "scale_factor", "0.5", 0.5, int64(3), uint8(3))
	f.Add("|i1", "_Unsigned", "true", 0.0, int64(-1), uint8(0))
	f.Add("<f2", "valid_range", "degrees_north", math.Inf(1), int64(1), uint8(4))
	f.Add("<u8", "flag_masks", "area: x y", 1e300, int64(math.MinInt64), uint8(5))
	f.Fuzz(func(t *testing.T, dtype, name, text string, float float64, whole int64, form uint8) {
		d, err := meta.ParseDType(dtype)
		if err != nil || d.Size() > 64 {
			return
		}
		all := attributes("coordinates", text, "units", text, "_FillValue", whole, "scale_factor", float,
			"flag_meanings", text, "flag_values", []any{whole, float}, "_Unsigned", "true")
		list := []any{float, whole, uint64(whole), float32(float), text, nil}
		value := list[int(form)%len(list)]
		if form&16 != 0 {
			value = list[:1+int(form)%len(list)]
		}
		all = append(attributes(name, value), all...)
		m := Of(d, all)
		if form&32 != 0 {
			m.Mask()
		}
		AxisOf(d, all)
		if by, ok := ConversionOf(name, text); ok && (by.Num == 0 || by.Den == 0) {
			t.Errorf("%q to %q: %v", name, text, by)
		}
		if !SameUnit(text, text+" ") {
			t.Errorf("%q is not itself", text)
		}
		References(all)
		Roles([]Variable{{Name: name, Attributes: all}}, all)
		if len(Compare(m, m)) != 0 {
			t.Errorf("%+v differs from itself", m)
		}
		if len(m.Note()) > 1000 || strings.Contains(m.Note(), "\n") {
			t.Errorf("note %q", m.Note())
		}
		if m.Numbers() {
			m.Convert(make([]float64, 3), make([]byte, 3*d.Size()))
			if !Of(m.Values, m.ValueAttributes(all)).Plain() {
				t.Errorf("values of %s have no plain attributes: %v", d, m.ValueAttributes(all))
			}
		}
	})
}
