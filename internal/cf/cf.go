// Package cf tells what the items of an array mean from its dtype and its attributes, as the CF
// conventions and NetCDF's own have them: which numbers are packed into items, which items stand
// for none, in which unit or calendar, and what an array is for.
//
//	m := cf.Of(dtype, attributes)
//	m.Convert(values, items) // NaN where an item stands for no value
//
// It is the only package that reads such attributes. Where programs differ it follows xarray; what
// is valid, and NetCDF's own fills, are told and not applied. Attributes that make no sense, such
// as a scale_factor that is a text, say nothing.
package cf

import (
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

// A Meaning is what items stand for. Arrays of other things than real numbers have a title, and
// perhaps a unit.
type Meaning struct {
	Stored  meta.DType // of the items, as they are stored
	Items   meta.DType // Stored, or integers of the other sign if _Unsigned says so
	Values  meta.DType // of what they stand for
	Packing *Packing   // or nil
	Missing []Number   // items, of dtype Items, that stand for no value; NaN is always one
	Valid   *Range     // of items or values that are valid, or nil; see Mask
	Flags   []Flag     // names for items
	Named   string     // flag_meanings, also where the names stand for no items

	Title        string // long_name, standard_name, or ""
	StandardName string
	Unit         string
	Calendar     string
	Time         *cftime.Scale // of values that are times, but not those of NumPy; or nil

	declared bool // there is an attribute for missing items, which may be NaN
	mask     bool
	floats   *govalue.Floats
}

// Packing says how values are packed into items: a value is an item × Factor + Offset.
type Packing struct {
	Factor, Offset float64
}

// A Range is that of valid items, both ends included; of values if Unpacked is set.
type Range struct {
	Min, Max float64
	Unpacked bool
}

// A Flag is a name for items: for those that equal Value in the bits of Mask.
type Flag struct {
	Value, Mask uint64
	Name        string
}

// Of returns the meaning of items of a dtype with some attributes.
func Of(d meta.DType, attributes meta.Map) *Meaning {
	m := &Meaning{Stored: d, Items: d, Values: d}
	m.StandardName = Text(attributes, "standard_name")
	m.Title = Text(attributes, "long_name")
	if m.Title == "" {
		m.Title = m.StandardName
	}
	m.Unit = Text(attributes, "units")
	m.Calendar = Text(attributes, "calendar")
	m.Named = Text(attributes, "flag_meanings")

	kind := d.Kind()
	if _, _, array := d.SubArray(); array || d.IsStruct() || kind != 'i' && kind != 'u' && kind != 'f' {
		return m
	}
	floats, err := govalue.FloatsOf(d)
	if err != nil {
		return m
	}

	m.floats = floats
	if s, ok := cftime.ParseScale(m.Unit, m.Calendar); ok {
		m.Time = &s
	}

	m.setSign(attributes)

	// Take the items that stand for no value.
	for _, name := range []string{FillValue, MissingValue} {
		for _, n := range numbers(attributes, name) {
			whole := m.Items.Kind() != 'f'
			if math.IsNaN(n.Float) && whole {
				continue // which no integer is
			}

			m.declared = true
			n = m.item(n)
			if !math.IsNaN(n.Float) && !slices.ContainsFunc(m.Missing, n.Equal) {
				m.Missing = append(m.Missing, n)
			}
		}
	}

	if len(m.Missing) > 0 {
		m.Values = m.masked()
	}

	m.setPacking(attributes)
	m.setValid(attributes)
	m.setFlags(attributes)
	return m
}

// setSign takes integers for those of the other sign if _Unsigned says so.
func (m *Meaning) setSign(attributes meta.Map) {
	kind := m.Stored.Kind()
	want := m.Stored.Kind()
	v, _ := attributes.Get(unsignedAttribute)
	switch v {
	case "true", "True", true:
		want = 'u'
	case "false", "False", false:
		want = 'i'
	}

	if kind == 'f' || kind == want {
		return
	}

	order := "<"
	if m.Stored.BigEndian() {
		order = ">"
	}
	d := dtype(order + string(want) + string(rune('0'+m.Stored.Size())))
	floats, err := govalue.FloatsOf(d)
	if err != nil {
		return
	}
	m.Items = d
	m.Values = d
	m.floats = floats
}

// masked returns the dtype of items of which some are missing: floats that hold all of them.
func (m *Meaning) masked() meta.DType {
	size := m.Items.Size()
	switch {
	case m.Items.Kind() == 'f' && size == 2:
		return dtype("<f2")
	case m.Items.Kind() == 'f' && size == 4, m.Items.Kind() != 'f' && size <= 2:
		return dtype("<f4")
	}
	return dtype("<f8")
}

// item returns a number as an item has it: rounded to its floats, or with the sign of its integers.
func (m *Meaning) item(n Number) Number {
	size := m.Items.Size()
	switch {
	case m.Items.Kind() == 'f' && size == 4:
		return Number{Float: float64(float32(n.Float))}
	case m.Items.Kind() == 'f' && size == 2:
		half, _ := govalue.FloatsOf(dtype("<f2"))
		bits := govalue.RoundFloat16(n.Float)
		rounded := make([]float64, 1)
		half.Convert(rounded, []byte{byte(bits), byte(bits >> 8)})
		return Number{Float: rounded[0]}
	case m.Items.Kind() == 'f':
		return Number{Float: n.Float}
	case m.Items.Equal(m.Stored):
		return n.Integer()
	}
	return n.Integer().withSign(m.Items)
}

// setPacking takes the factor and the offset, and the dtype of the values that xarray would choose.
func (m *Meaning) setPacking(attributes meta.Map) {
	factor, scaled := number(attributes, "scale_factor")
	offset, shifted := number(attributes, "add_offset")
	if !scaled && !shifted {
		return
	}

	m.Packing = &Packing{Factor: 1}
	if scaled {
		m.Packing.Factor = factor.Float
	}
	if shifted {
		m.Packing.Offset = offset.Float
	}

	size := m.Items.Size()
	whole := m.Items.Kind() != 'f'
	short := scaled && factor.short
	if shifted {
		short = short && offset.short && !(whole && size == 4)
	}
	if !whole && m.declared && len(m.Missing) == 0 {
		short = size <= 4 // NaN is declared missing, and the floats stay as wide as they are
	}

	m.Values = dtype("<f8")
	if short {
		m.Values = dtype("<f4")
	}
}

// setValid takes the range of valid items. If items are integers and it is not, then it is that of
// values.
func (m *Meaning) setValid(attributes meta.Map) {
	r := Range{Min: math.Inf(-1), Max: math.Inf(1)}
	low, haveLow := number(attributes, "valid_min")
	high, haveHigh := number(attributes, "valid_max")
	list, _ := attributes.Get("valid_range")
	if pair, ok := list.([]any); ok && len(pair) == 2 {
		first, ok := NumberOf(pair[0])
		second, ok2 := NumberOf(pair[1])
		if ok && ok2 {
			low = first
			high = second
			haveLow = true
			haveHigh = true
		}
	}

	if !haveLow && !haveHigh {
		return
	}

	r.Unpacked = m.Packing != nil && m.Items.Kind() != 'f' && (haveLow && !low.whole || haveHigh && !high.whole)
	item := m.item
	if r.Unpacked {
		item = func(n Number) Number { return n }
	}
	if haveLow {
		r.Min = item(low).Float
	}
	if haveHigh {
		r.Max = item(high).Float
	}

	m.Valid = &r
}

// setFlags takes names of items: flag_meanings, with flag_values, flag_masks or both.
func (m *Meaning) setFlags(attributes meta.Map) {
	names := strings.Fields(Text(attributes, "flag_meanings"))
	values := numbers(attributes, "flag_values")
	masks := numbers(attributes, "flag_masks")
	if m.Items.Kind() == 'f' || len(names) == 0 || len(values) == 0 && len(masks) == 0 ||
		len(values) != 0 && len(values) != len(names) || len(masks) != 0 && len(masks) != len(names) {
		return
	}

	for i, name := range names {
		f := Flag{Mask: math.MaxUint64, Name: name}
		if len(masks) > 0 {
			f.Mask = masks[i].flag()
			f.Value = f.Mask
		}
		if len(values) > 0 {
			f.Value = values[i].flag()
		}
		m.Flags = append(m.Flags, f)
	}
}

// flag returns the bits of an integer, or those of the nearest.
func (n Number) flag() uint64 {
	switch v := n.Float; {
	case n.whole:
		return n.bits
	case v >= 1<<64:
		return math.MaxUint64
	case v >= 0:
		return uint64(v)
	}
	return uint64(int64(max(n.Float, math.MinInt64)))
}

// dtype parses the text of a dtype that there is.
func dtype(text string) meta.DType {
	d, err := meta.ParseDType(text)
	if err != nil {
		panic(err)
	}
	return d
}
