package coords

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/internal/govalue"
)

// A value is a coordinate. Numbers are hi + lo, which is exact for integers of 64 bits; times are
// hi seconds since 1970 and lo nanoseconds. hi is NaN where there is no coordinate.
type value struct {
	hi, lo float64
	text   string
}

var missing = value{hi: math.NaN()}

// compare orders values. Missing ones are less than all others, which callers exclude.
func compare(a, b value) int {
	return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo), cmp.Compare(a.text, b.text))
}

func (v value) missing() bool { return math.IsNaN(v.hi) }

// A decoder makes values of items.
type decoder struct {
	number   govalue.Number
	textual  bool
	wide     bool // texts of 4 bytes per character
	floating bool
	hasNaT   bool          // dates and durations of NumPy
	scale    *cftime.Scale // of times; nil for numbers and texts
	packing  *cf.Packing   // or nil
	missing  []cf.Number   // items that stand for none
}

// newDecoder returns the decoder for items with a meaning, or false if such items are no
// coordinates.
func newDecoder(m *cf.Meaning) (decoder, bool) {
	d := m.Stored
	n, isNumber := govalue.NumberOf(d)
	c := decoder{number: n}
	switch d.Kind() {
	case 'S', 'U':
		c.textual = true
		c.wide = d.Kind() == 'U'
		return c, n.Size > 0
	case 'M':
		unit, count := d.Unit()
		if s, ok := cftime.NumPyScale(unit, count); ok {
			c.scale = &s
		}
		c.hasNaT = true
		return c, n.Size == 8
	case 'm':
		c.hasNaT = true
		return c, n.Size == 8
	case 'f':
		c.floating = true
	case 'i', 'u':
	default:
		return c, false
	}

	if !isNumber {
		return c, false
	}
	if !c.floating {
		c.number.Kind = m.Items.Kind()
	}

	c.scale = m.Time
	c.packing = m.Packing
	c.missing = m.Missing
	return c, true
}

// value decodes an item.
func (d *decoder) value(raw []byte) value {
	switch {
	case d.wide:
		var b strings.Builder
		character := govalue.Number{Kind: 'u', Size: 4, BigEndian: d.number.BigEndian}
		for ; len(raw) >= 4; raw = raw[4:] {
			b.WriteRune(rune(character.Bits(raw)))
		}
		return value{text: strings.TrimRight(b.String(), "\x00")}
	case d.textual:
		return value{text: string(bytes.TrimRight(raw, "\x00"))}
	case d.floating:
		return d.float64(d.number.Float(raw))
	}

	n := uint64(d.number.Int(raw))
	switch {
	case d.hasNaT && n == 1<<63:
		return missing // NaT
	case d.number.Kind == 'u' && n > math.MaxInt64 && d.isMissing(n):
		return missing
	case d.number.Kind == 'u' && n > math.MaxInt64:
		return d.unpacked(float64(n))
	}
	return d.int64(int64(n))
}

// int64 returns the value of an integer item.
func (d *decoder) int64(n int64) value {
	switch {
	case d.isMissing(n):
		return missing
	case d.packing != nil:
		return d.unpacked(float64(n))
	case d.scale != nil:
		return timeValue(d.scale.Int(n))
	}
	return intValue(n)
}

// isMissing reports whether an item stands for none.
func (d *decoder) isMissing(item any) bool {
	if len(d.missing) == 0 {
		return false
	}
	n, _ := cf.NumberOf(item)
	return slices.ContainsFunc(d.missing, n.Equal)
}

// float64 returns the value of a float item.
func (d *decoder) float64(v float64) value {
	if math.IsNaN(v) || d.isMissing(v) {
		return missing
	}
	return d.unpacked(v)
}

// unpacked returns the value of an item that stands for one.
func (d *decoder) unpacked(v float64) value {
	if d.packing != nil {
		v = float64(v*d.packing.Factor) + d.packing.Offset
	}
	if d.scale != nil {
		bits := 53
		if d.floating && d.number.Size < 8 && d.packing == nil {
			bits = map[int]int{2: 11, 4: 24}[d.number.Size]
		}
		return timeValue(d.scale.Float(v, bits))
	}
	return value{hi: v}
}

func intValue(n int64) value {
	hi := float64(n)
	if hi == 1<<63 { // rounded up to a number beyond int64
		return value{hi: hi, lo: float64(n-math.MaxInt64) - 1}
	}
	return value{hi: hi, lo: float64(n - int64(hi))}
}

func timeValue(t cftime.Time, ok bool) value {
	if !ok {
		return missing
	}
	return value{hi: float64(t.Seconds), lo: float64(t.Nanos)}
}

func (v value) time() cftime.Time { return cftime.Time{Seconds: int64(v.hi), Nanos: int64(v.lo)} }

// float returns a value as a number.
func (d *decoder) float(v value) float64 {
	switch {
	case d.textual:
		return math.NaN()
	case v.missing():
		return v.hi
	case d.scale != nil:
		return d.scale.Calendar.Gregorian(v.time())
	}
	return v.hi + v.lo
}

// texts formats values, times in one form.
func (d *decoder) texts(values []value) []string {
	texts := make([]string, len(values))
	if d.scale != nil {
		p := d.scale.Shortest
		for _, v := range values {
			if !v.missing() {
				p = max(p, least(d.scale.Shortest, v.time()))
			}
		}
		for i, v := range values {
			texts[i] = "NaT"
			if !v.missing() && math.Abs(v.hi) <= cftime.Farthest {
				texts[i] = d.scale.Calendar.Format(v.time(), p)
			}
		}
		return texts
	}

	for i, v := range values {
		texts[i] = d.text(v)
	}
	return texts
}

// least is the precision that a time needs, of scales of months as little as they have.
func least(shortest cftime.Precision, t cftime.Time) cftime.Precision {
	if shortest < cftime.Days {
		return shortest
	}
	return max(shortest, cftime.PrecisionOf(t))
}

// text formats a number or text.
func (d *decoder) text(v value) string {
	switch {
	case d.textual:
		return v.text
	case v.missing():
		return "NaN"
	case d.packing != nil:
		f, _ := strconv.ParseFloat(strconv.FormatFloat(v.hi, 'g', 10, 64), 64)
		return decimal(f, 64)
	case d.floating && d.number.Size == 2:
		return strconv.FormatFloat(v.hi, 'g', 5, 32)
	case d.floating && d.number.Size == 4:
		return decimal(v.hi, 32)
	case d.floating || d.number.Size == 0 || v.hi != math.Trunc(v.hi) || math.Abs(v.hi) > 1<<63:
		return decimal(v.hi, 64)
	case v.hi == 1<<63:
		return strconv.FormatUint(uint64(v.hi)-uint64(-v.lo), 10)
	}
	return strconv.FormatInt(int64(v.hi)+int64(v.lo), 10)
}

// decimal writes a number with the fewest digits, and without an exponent where that is short.
func decimal(f float64, bits int) string {
	format := byte('g')
	if size := math.Abs(f); size == 0 || size >= 1e-4 && size < 1e15 {
		format = 'f'
	}
	return strconv.FormatFloat(f, format, -1, bits)
}
