package cf

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/meta"
)

// Plain reports whether the items are the values.
func (m *Meaning) Plain() bool {
	return m.Packing == nil && len(m.Missing) == 0 && m.Items.Equal(m.Stored) && !m.mask
}

// SameBytes reports whether values have the bytes of the items, if they are of another sign.
func (m *Meaning) SameBytes() bool { return m.Packing == nil && len(m.Missing) == 0 && !m.mask }

// Declared reports whether an attribute says how missing items are marked, be it by NaN.
func (m *Meaning) Declared() bool { return m.declared }

// Mask makes items outside the valid range stand for no value. Programs differ in that, and by
// default they are values like others.
func (m *Meaning) Mask() {
	if m.Valid == nil {
		return
	}
	m.mask = true
	if m.Packing == nil {
		m.Values = m.masked()
	}
}

// OfValid returns the meaning of values of which those outside the valid range are missing. It is
// nil if there is no such range, or Mask has made them missing already.
func (m *Meaning) OfValid() *Meaning {
	if m.Valid == nil || m.mask {
		return nil
	}

	r := *m.Valid
	if m.Packing != nil && !r.Unpacked {
		ends := []float64{r.Min, r.Max}
		m.Packing.unpack(ends, m.Values.Size() == 4)
		r.Min = min(ends[0], ends[1])
		r.Max = max(ends[0], ends[1])
	}

	valid := Of(m.Values, nil)
	valid.Valid = &r
	valid.Mask()
	return valid
}

// Numbers reports whether the items are real numbers, without which Convert must not be called.
func (m *Meaning) Numbers() bool { return m.floats != nil }

// Marks returns the numbers that mark missing items, and whether each other item is its value, but
// for the order of its bytes: of floats of 4 or 8 bytes.
func (m *Meaning) Marks() (marks []float64, ok bool) {
	size := m.Stored.Size()
	if m.Packing != nil || m.mask || m.Stored.Kind() != 'f' || size < 4 || size > 8 || size != m.Values.Size() {
		return nil, false
	}
	for _, missing := range m.Missing {
		marks = append(marks, missing.Float)
	}
	return marks, true
}

// Convert writes the values of items to dst, which must have room for them. It rounds as the dtype
// of the values does.
func (m *Meaning) Convert(dst []float64, items []byte) {
	n := len(items) / m.Stored.Size()
	dst = dst[:n]
	m.floats.Convert(dst, items)

	if m.mask && !m.Valid.Unpacked {
		m.Valid.mask(dst)
	}
	for _, missing := range m.Missing {
		missing.drop(dst, items, m.Items)
	}
	if m.Packing != nil {
		m.Packing.unpack(dst, m.Values.Size() == 4)
	}
	if m.mask && m.Valid.Unpacked {
		m.Valid.mask(dst)
	}
}

// unpack rounds after each step, as NumPy does, in float32 if short is set.
func (p *Packing) unpack(values []float64, short bool) {
	if !short {
		for i, v := range values {
			values[i] = float64(v*p.Factor) + p.Offset
		}
		return
	}
	for i, v := range values {
		scaled := float32(float64(float32(v)) * p.Factor)
		values[i] = float64(float32(float64(scaled) + p.Offset))
	}
}

// Has reports whether a valid range includes a number.
func (r *Range) Has(v float64) bool { return r.Min <= v && v <= r.Max }

func (r *Range) mask(values []float64) {
	for i, v := range values {
		if !r.Has(v) {
			values[i] = math.NaN()
		}
	}
}

// DefaultFill returns the item that NetCDF's library leaves where nothing has been written. It is
// no missing item unless an attribute says so.
func (m *Meaning) DefaultFill() (float64, bool) {
	fill, ok := defaultFills[string(rune(m.Stored.Kind()))+strconv.Itoa(m.Stored.Size())]
	return fill, ok && m.floats != nil
}

var defaultFills = map[string]float64{
	"i1": -127, "u1": math.MaxUint8, "i2": -32767, "u2": math.MaxUint16,
	"i4": -2147483647, "u4": math.MaxUint32, "i8": math.MinInt64 + 2, "u8": math.MaxUint64 - 1,
	"f4": 0x1.ep122, "f8": 0x1.ep122,
}

// applied lists the attributes that values have no use for.
var applied = []string{"scale_factor", "add_offset", FillValue, MissingValue, unsignedAttribute}

// valid lists those that are about items as they are stored.
var valid = []string{"valid_min", "valid_max", "valid_range"}

// ValueAttributes returns the attributes of the values: without those that have been applied. If
// some values may be missing, they say that NaN marks these.
func (m *Meaning) ValueAttributes(attributes meta.Map) meta.Map {
	if m.Plain() {
		return attributes
	}

	gone := slices.Clone(applied)
	if m.Valid != nil && !m.Valid.Unpacked && (m.Packing != nil || m.movesValid(attributes)) {
		gone = append(gone, valid...)
	}

	var left meta.Map
	for _, p := range attributes {
		if name, _ := p.Key.(string); !slices.Contains(gone, name) {
			left = append(left, p)
		}
	}

	if m.declared || m.mask {
		left = append(left, NaNFill(m.Values)...)
	}
	return left
}

// movesValid reports whether the items at the ends of the valid range have other numbers with the
// sign that _Unsigned gives them.
func (m *Meaning) movesValid(attributes meta.Map) bool {
	for _, name := range valid {
		for _, n := range numbers(attributes, name) {
			if m.item(n).Float != n.Float {
				return true
			}
		}
	}
	return false
}

// NaNFill returns the attribute that says that NaN marks missing items, for a dtype of floats.
func NaNFill(d meta.DType) meta.Map {
	switch {
	case d.Kind() != 'f':
		return nil
	case d.Size() == 8:
		return meta.Map{{Key: FillValue, Value: math.NaN()}}
	}
	return meta.Map{{Key: FillValue, Value: float32(math.NaN())}}
}

// Note says in a line how values follow from items, or "" if they are the same.
func (m *Meaning) Note() string {
	var parts []string
	if !m.Items.Equal(m.Stored) {
		parts = append(parts, "items are "+signOf(m))
	}
	if m.Packing != nil {
		parts = append(parts, m.Packing.String())
	}
	if len(m.Missing) > 0 {
		parts = append(parts, "missing where items are "+list(m.Missing))
	}
	if m.mask {
		parts = append(parts, "missing outside "+m.Valid.String())
	}
	return strings.Join(parts, ", ")
}

// String writes a range: "0 to 100".
func (r *Range) String() string { return shortest(r.Min) + " to " + shortest(r.Max) }

// list writes numbers: "1, 2 or 3".
func list(numbers []Number) string {
	const most = 4
	var b strings.Builder
	for i, v := range numbers[:min(len(numbers), most)] {
		switch {
		case i > 0 && i == len(numbers)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(v.String())
	}

	if len(numbers) > most {
		b.WriteString(", …")
	}
	return b.String()
}

// shortest writes a number with the fewest digits, those of a float32 if it is one.
func shortest(f float64) string {
	bits := 64
	if float64(float32(f)) == f {
		bits = 32
	}
	format := byte('g')
	if size := math.Abs(f); size == 0 || size >= 1e-4 && size < 1e15 {
		format = 'f'
	}
	return strconv.FormatFloat(f, format, -1, bits)
}

// HasEncoding reports whether attributes say that items are not the values: that they are packed,
// of another sign, or mark what is missing otherwise than by NaN.
func HasEncoding(attributes meta.Map) bool {
	for _, name := range applied {
		v, ok := attributes.Get(name)
		if ok && !isNaN(v) {
			return true
		}
	}
	return false
}

// MarksMissing reports whether an attribute says how missing values are marked.
func MarksMissing(name string) bool { return name == "_FillValue" || name == "missing_value" }

// WithoutMissing returns attributes without those that say how missing values are marked, and
// whether there were some.
func WithoutMissing(attributes meta.Map) (left meta.Map, marked bool) {
	for _, p := range attributes {
		if name, _ := p.Key.(string); MarksMissing(name) {
			marked = true
			continue
		}
		left = append(left, p)
	}
	return left, marked
}

// IsText reports whether attributes say in which encoding chars are text, which programs then
// compare with no mark of missing chars.
func IsText(attributes meta.Map) bool { return Text(attributes, "_Encoding") != "" }
