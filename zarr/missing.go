package zarr

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// The CF conventions mark missing items by the attribute _FillValue. xarray keeps it elsewhere:
//
//	version 2   as the fill value of arrays with names of dimensions
//	version 3   as the attribute: of floats in base64, their f64, little-endian; of complex
//	            numbers a list of two of those; of integers and bools a number or a bool
//
// In version 3 it refuses a store with an attribute that has another form. Such a mark, of texts
// for instance, becomes missing_value, which xarray takes as it is and masks as well, but for
// bytes, of which it masks none in version 3. Bytes that are text by their attribute _Encoding it
// masks in version 3 only, so that they have no mark there. In the labels of arrays it is the
// attribute, a number.

// takeMissing sets the attribute from where xarray keeps it. fill is the document's fill value.
func (m *metadata) takeMissing(fill any) {
	i := indexOf(m.attributes, cf.FillValue)
	switch {
	case m.version == 2 && i < 0 && m.dims != nil && m.dtype.Kind() == 'S':
		if text := strings.TrimRight(string(m.fill), "\x00"); text != "" && utf8.ValidString(text) {
			m.attributes = append(slices.Clone(m.attributes), meta.Pair{Key: cf.FillValue, Value: text})
		}
	case m.version == 2 && i < 0 && fill != nil && m.dims != nil && isNumber(m.dtype):
		m.attributes = append(slices.Clone(m.attributes), meta.Pair{Key: cf.FillValue, Value: m.fillNumber()})
	case m.version == 3 && i >= 0 && m.dtype.Kind() == 'f':
		if f, ok := fromBase64(m.attributes[i].Value); ok {
			m.attributes = slices.Clone(m.attributes)
			m.attributes[i].Value = asItem(f, m.dtype)
		}
	}
}

// indexOf returns the index of an attribute, or -1.
func indexOf(attributes meta.Map, name string) int {
	return slices.IndexFunc(attributes, func(p meta.Pair) bool { return p.Key == name })
}

// isNumber reports whether items are integers or floats.
func isNumber(d meta.DType) bool {
	return d.Kind() == 'f' || d.Kind() == 'i' || d.Kind() == 'u'
}

// fillNumber returns the fill value as a number.
func (m *metadata) fillNumber() any {
	n, err := numbersIn("fill value", m.dtype)
	switch {
	case err != nil:
		return nil
	case n.Kind == 'f':
		return asItem(n.Float(m.fill), m.dtype)
	case n.Kind == 'u' && n.Int(m.fill) < 0:
		return uint64(n.Int(m.fill))
	}
	return n.Int(m.fill)
}

// asItem returns a number of an attribute in the type of the items, as NetCDF wants _FillValue to
// be, if that is exact.
func asItem(f float64, d meta.DType) any {
	if narrow := float32(f); d.Size() == 4 && (float64(narrow) == f || math.IsNaN(f)) {
		return narrow
	}
	return f
}

// inheritFill takes the fill value of an array for a copy. Where xarray takes it for a mark of
// missing items, it must be one: it is none in version 3, and in version 2 neither if it is open,
// nor of arrays without names of dimensions.
func (l *layout) inheritFill(src ndarray.Source, version int) {
	a, ok := src.(*Array)
	if ok && (version == 3 || a.version == 2 && !a.open && (a.dims != nil) == (l.labels.Dims != nil)) {
		l.fill = a.fill
	}
}

// errBytes is why a mark of bytes is lost.
var errBytes = errors.New("version 3 has none for a mark of missing bytes, version 2 has")

// moveMissing takes the attribute to where xarray looks for it. It returns an error if that is
// nowhere.
func (l *layout) moveMissing(version int) error {
	// JSON has no form for NaN.
	l.labels.Attributes = cf.WithoutNaN(l.labels.Attributes, cf.MissingValue)
	i := indexOf(l.labels.Attributes, cf.FillValue)
	if i < 0 {
		return nil
	}

	value := l.labels.Attributes[i].Value
	if list, ok := value.([]any); ok && len(list) == 1 {
		value = list[0]
	}
	if f, ok := value.(float32); ok {
		value = float64(f)
	}

	without := slices.Delete(slices.Clone(l.labels.Attributes), i, i+1)
	// In version 2 xarray takes the fill value of the metadata for the attribute.
	if version == 2 {
		text, isBytes := value.(string)
		isBytes = isBytes && l.dtype.Kind() == 'S'
		if isBytes {
			value = base64.StdEncoding.EncodeToString([]byte(text))
		}
		item, err := fillItem(value, l.dtype)
		if err == nil && value != nil && l.labels.Dims != nil && (isNumber(l.dtype) || isBytes) {
			l.fill = item
			l.labels.Attributes = without

			// Give big-endian integers that _Unsigned takes for unsigned the dtype that they
			// stand for, with the same bytes. xarray takes the fill value of signed ones of
			// that order for another number, and so finds nothing missing.
			items := cf.Of(l.dtype, l.labels.Attributes).Items
			if l.dtype.BigEndian() && l.dtype.Kind() == 'i' && items.Kind() == 'u' {
				l.dtype = items
			}
		}
		return nil
	}
	if l.dtype.Kind() == 'S' && cf.IsText(without) {
		l.labels.Attributes = without
		return nil
	}

	name := cf.FillValue
	value = l.declareSigned(value)
	value, ok := fillV3(value, l.dtype)
	if !ok {
		if value == nil || indexOf(without, cf.MissingValue) >= 0 {
			l.labels.Attributes = without
			return nil
		}
		name = cf.MissingValue
	}
	l.labels.Attributes = slices.Insert(without, i, meta.Pair{Key: name, Value: value})
	if l.dtype.Kind() == 'S' {
		return errBytes
	}
	return nil
}

// declareSigned gives integers that _Unsigned takes for signed the dtype that they stand for, with
// the same bytes, and returns the fill value as one of them. xarray refuses stores of version 3
// with one that is too large for that.
func (l *layout) declareSigned(fill any) any {
	items := cf.Of(l.dtype, l.labels.Attributes).Items
	if l.dtype.Kind() != 'u' || items.Kind() != 'i' {
		return fill
	}

	item, err := fillItem(fill, l.dtype)
	if err != nil {
		return fill
	}

	n, err := numbersIn("fill value", items)
	if err != nil {
		return fill
	}

	l.dtype = items
	return n.Int(item)
}

// fillV3 returns the attribute in the form that xarray expects for a dtype. It returns false, with
// the value as it is, if there is no such form, and nil for a mark that marks nothing.
func fillV3(value any, d meta.DType) (any, bool) {
	n, isNumber := cf.NumberOf(value)
	f := n.Float

	switch d.Kind() {
	case 'f':
		if isNumber {
			return toBase64(f), true
		}
	case 'c':
		if parts, ok := value.([]any); ok && len(parts) == 2 {
			return value, isBase64(parts[0]) && isBase64(parts[1])
		}
		if isNumber {
			return []any{toBase64(f), toBase64(0)}, true
		}
	case 'b':
		if _, ok := value.(bool); ok || isNumber && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return value, true
		}
	case 'i', 'u':
		switch {
		case isNumber && f == math.Trunc(f) && math.Abs(f) <= math.MaxUint64:
			return value, true
		case math.IsNaN(f) || math.IsInf(f, 0):
			return nil, false // no integer is one
		}
	}
	return value, false
}

func toBase64(f float64) string {
	return base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
}

func fromBase64(v any) (float64, bool) {
	text, _ := v.(string)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != 8 {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
}

func isBase64(v any) bool {
	_, ok := fromBase64(v)
	return ok
}
