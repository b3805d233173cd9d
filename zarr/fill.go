package zarr

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

// A fill value is the item of which missing chunks consist. As JSON it is a number; for floats also
// "NaN", "Infinity", "-Infinity" or the bits as "0x7fc00000"; a pair of those for complex numbers;
// base64 for bytes; text; a list of bytes; or an object with the fields of a structure. JZarr
// quotes numbers. Null, which only version 2 has, leaves the value open, and readers take zeros,
// but for dates, of which they take NaT.

// fillItem returns the bytes of a fill value.
func fillItem(v any, d meta.DType) ([]byte, error) {
	item := make([]byte, d.Size())
	if v == nil && d.Kind() != 'M' && d.Kind() != 'm' {
		return item, nil
	}
	return item, putFill(item, v, d)
}

func putFill(item []byte, v any, d meta.DType) error {
	bad := corrupt("fill value %s for dtype %v", brief(v), d)
	if d.IsStruct() {
		return putStruct(item, v, d, bad)
	}
	switch text, isText := v.(string); d.Kind() {
	case 'b':
		if n, ok := v.(int64); ok && n>>1 == 0 {
			v = n == 1
		}
	case 'i', 'u':
		v = integral(unquoted(v))
	case 'M', 'm':
		if text == "NaT" || v == nil {
			v = int64(math.MinInt64)
		} else if unit, n := d.Unit(); isText && unit == "ns" && n == 1 { // as xarray writes dates
			when, err := time.Parse("2006-01-02T15:04:05.999999999", text)
			if err != nil {
				return bad
			}
			v = when.UnixNano()
		}
		v = integral(unquoted(v))
	case 'f':
		return putFloat(item, v, d.BigEndian(), bad)
	case 'c':
		parts, ok := v.([]any)
		if !ok {
			parts = []any{v, int64(0)}
		}
		if len(parts) != 2 {
			return bad
		}

		half := len(item) / 2
		if err := putFloat(item[:half], parts[0], d.BigEndian(), bad); err != nil {
			return err
		}
		return putFloat(item[half:], parts[1], d.BigEndian(), bad)
	case 'U':
		if v == int64(0) { // of arrays that old versions of zarr-python made
			v = ""
		}
	default:
		return putBytes(item, v, bad)
	}

	encoded, err := govalue.EncodeItem(d, len(item), v)
	if err != nil {
		return bad
	}
	copy(item, encoded)
	return nil
}

// unquoted returns the number that a text is, and anything else as it is.
func unquoted(v any) any {
	s, _ := v.(string)
	p := jsonParser{b: []byte(s)}
	if n, err := p.number(); err == nil && p.at == len(s) {
		return n
	}
	return v
}

// integral returns a float that is an integer as one.
func integral(v any) any {
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<62 {
		return int64(f)
	}
	return v
}

// putFloat accepts numbers, their names, and bits.
func putFloat(item []byte, v any, bigEndian bool, bad error) error {
	as := govalue.Number{Kind: 'f', Size: len(item), BigEndian: bigEndian}
	text, _ := v.(string)
	if digits, ok := strings.CutPrefix(text, "0x"); ok && as.Size <= 8 {
		bits, err := strconv.ParseUint(digits, 16, 8*as.Size)
		if err != nil {
			return bad
		}
		as.PutBits(item, bits)
		return nil
	}

	var f float64
	switch n := unquoted(v).(type) {
	case float64:
		f = n
	case int64:
		f = float64(n)
	case uint64:
		f = float64(n)
	default:
		if text != "NaN" && text != "Infinity" && text != "-Infinity" {
			return bad
		}
		f, _ = strconv.ParseFloat(text, 64) // these are valid
	}

	switch {
	case as.Size <= 8 && f != f:
		f = math.Float64frombits(govalue.QuietNaN64)
		fallthrough
	case as.Size <= 8:
		as.PutFloat(item, f)
	case f != 0:
		return unsupported("fill value %v for floats of %d bytes", f, as.Size)
	}
	return nil
}

// putBytes accepts base64, or a list of bytes.
func putBytes(item []byte, v any, bad error) error {
	switch n := v.(type) {
	case string:
		b, err := base64.StdEncoding.DecodeString(n)
		if err != nil || len(b) > len(item) {
			return bad
		}
		copy(item, b)

	case []any:
		bytes, err := intsOf("the fill value", n, 0, 255)
		if err != nil || len(bytes) != len(item) {
			return bad
		}
		for i, c := range bytes {
			item[i] = byte(c)
		}

	case int64:
		if n != 0 {
			return bad
		}

	default:
		return bad
	}
	return nil
}

// putStruct accepts base64, an object of fields, or a list of them.
func putStruct(item []byte, v any, d meta.DType, bad error) error {
	fields := d.Fields()
	switch n := v.(type) {
	case meta.Map:
		for _, f := range fields {
			value, ok := n.Get(f.Name)
			if !ok {
				return bad
			}
			if err := putFill(item[f.Offset:f.Offset+f.Type.Size()], value, f.Type); err != nil {
				return err
			}
		}
		return nil

	case []any:
		if len(n) != len(fields) {
			return bad
		}
		for i, f := range fields {
			if err := putFill(item[f.Offset:f.Offset+f.Type.Size()], n[i], f.Type); err != nil {
				return err
			}
		}
		return nil
	}

	return putBytes(item, v, bad)
}

// fillJSON returns the fill value for metadata of a version.
func fillJSON(item []byte, d meta.DType, version int) any {
	if d.IsStruct() {
		return base64.StdEncoding.EncodeToString(item)
	}
	n, _ := govalue.NumberOf(d)

	switch d.Kind() {
	case 'b':
		return item[0] != 0
	case 'u':
		if bits := n.Bits(item); bits > math.MaxInt64 {
			return bits
		}
		return n.Int(item)
	case 'i', 'M', 'm':
		return n.Int(item)
	case 'f':
		return floatJSON(item, d.BigEndian(), version)
	case 'c':
		half := len(item) / 2
		return []any{floatJSON(item[:half], d.BigEndian(), version), floatJSON(item[half:], d.BigEndian(), version)}
	case 'U':
		var b strings.Builder
		character := govalue.Number{Kind: 'u', Size: 4, BigEndian: d.BigEndian()}
		for ; len(item) >= 4; item = item[4:] {
			b.WriteRune(rune(character.Bits(item)))
		}
		return strings.TrimRight(b.String(), "\x00")
	}
	return base64.StdEncoding.EncodeToString(item)
}

// floatJSON returns a float. A NaN other than the usual one is given by its bits in version 3.
func floatJSON(item []byte, bigEndian bool, version int) any {
	as := govalue.Number{Kind: 'f', Size: len(item), BigEndian: bigEndian}
	f := 0.0
	usual := true
	if as.Size <= 8 {
		f = as.Float(item)
		usual = as.Bits(item) == map[int]uint64{2: 0x7e00, 4: govalue.QuietNaN32, 8: govalue.QuietNaN64}[as.Size]
	}

	switch {
	case math.IsNaN(f) && !usual && version == 3:
		return fmt.Sprintf("0x%0*x", 2*as.Size, as.Bits(item))
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}
