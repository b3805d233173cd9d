package zarr

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
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
	bad := func() error { return corrupt("fill value %s for dtype %v", brief(v), d) }
	if d.IsStruct() {
		return putStruct(item, v, d, bad)
	}
	switch d.Kind() {
	case 'b':
		switch v {
		case true, int64(1):
			item[0] = 1
		case false, int64(0):
		default:
			return bad()
		}
		return nil
	case 'i', 'u':
		return putInt(item, v, d, bad)
	case 'M', 'm':
		return putTime(item, v, d, bad)
	case 'f':
		return putFloat(item, v, d.BigEndian(), bad)
	case 'c':
		parts, ok := v.([]any)
		if !ok {
			parts = []any{v, int64(0)}
		}
		if len(parts) != 2 {
			return bad()
		}
		half := len(item) / 2
		if err := putFloat(item[:half], parts[0], d.BigEndian(), bad); err != nil {
			return err
		}
		return putFloat(item[half:], parts[1], d.BigEndian(), bad)
	case 'U':
		return putText(item, v, d, bad)
	}
	return putBytes(item, v, bad)
}

func putInt(item []byte, v any, d meta.DType, bad func() error) error {
	bits := 8 * len(item)
	if s, ok := v.(string); ok {
		v = unquoted(s)
	}
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<62 {
		v = int64(f)
	}
	switch n := v.(type) {
	case int64:
		if d.Kind() == 'u' && (n < 0 || bits < 64 && n>>bits != 0) || d.Kind() == 'i' &&
			n<<(64-bits)>>(64-bits) != n {
			return bad()
		}
		putUint(item, uint64(n), d.BigEndian())
	case uint64:
		if d.Kind() != 'u' || bits < 64 {
			return bad()
		}
		putUint(item, n, d.BigEndian())
	default:
		return bad()
	}
	return nil
}

// unquoted returns the number that text is, or the text.
func unquoted(s string) any {
	p := jsonParser{b: []byte(s)}
	if n, err := p.number(); err == nil && p.at == len(s) {
		return n
	}
	return s
}

// putTime accepts the number of units, "NaT", or, as xarray writes it, a date.
func putTime(item []byte, v any, d meta.DType, bad func() error) error {
	s, isText := v.(string)
	switch {
	case s == "NaT" || v == nil:
		v = int64(math.MinInt64)
	case isText:
		when, err := time.Parse("2006-01-02T15:04:05.999999999", s)
		if unit, n := d.Unit(); err != nil || unit != "ns" || n != 1 {
			return bad()
		}
		v = when.UnixNano()
	}
	return putInt(item, v, d, bad)
}

func putUint(item []byte, n uint64, bigEndian bool) {
	var b [8]byte
	if bigEndian {
		binary.BigEndian.PutUint64(b[:], n)
		copy(item, b[8-len(item):])
		return
	}
	binary.LittleEndian.PutUint64(b[:], n)
	copy(item, b[:])
}

func getUint(item []byte, bigEndian bool) (n uint64) {
	for i, c := range item {
		if bigEndian {
			n = n<<8 | uint64(c)
		} else {
			n |= uint64(c) << (8 * i)
		}
	}
	return n
}

func putFloat(item []byte, v any, bigEndian bool, bad func() error) error {
	if s, ok := v.(string); ok && !strings.HasPrefix(s, "0x") {
		v = unquoted(s)
	}
	var f float64
	switch n := v.(type) {
	case float64:
		f = n
	case int64:
		f = float64(n)
	case uint64:
		f = float64(n)
	case string:
		if digits, ok := strings.CutPrefix(n, "0x"); ok {
			bits, err := strconv.ParseUint(digits, 16, 64)
			if err != nil || len(digits) > 2*len(item) {
				return bad()
			}
			putUint(item, bits, bigEndian)
			return nil
		}
		switch n {
		case "NaN", "Infinity", "-Infinity":
			f, _ = strconv.ParseFloat(n, 64) // these are valid
		default:
			return bad()
		}
	default:
		return bad()
	}
	switch len(item) {
	case 2:
		putUint(item, uint64(ndarray.Float16From(float32(f)).Bits()), bigEndian)
	case 4:
		putUint(item, uint64(math.Float32bits(float32(f))), bigEndian)
	case 8:
		putUint(item, math.Float64bits(f), bigEndian)
	default:
		if f != 0 {
			return unsupported("fill value %v for floats of %d bytes", f, len(item))
		}
	}
	return nil
}

func putText(item []byte, v any, d meta.DType, bad func() error) error {
	s, ok := v.(string)
	if v == int64(0) { // of arrays that old versions of zarr-python made
		s, ok = "", true
	}
	if !ok || utf8.RuneCountInString(s) > len(item)/4 {
		return bad()
	}
	for _, r := range s {
		putUint(item[:4], uint64(r), d.BigEndian())
		item = item[4:]
	}
	return nil
}

// putBytes accepts base64, or a list of bytes.
func putBytes(item []byte, v any, bad func() error) error {
	switch n := v.(type) {
	case string:
		b, err := base64.StdEncoding.DecodeString(n)
		if err != nil || len(b) > len(item) {
			return bad()
		}
		copy(item, b)
	case []any:
		bytes, err := intsOf("the fill value", n, 0, 255)
		if err != nil || len(bytes) != len(item) {
			return bad()
		}
		for i, c := range bytes {
			item[i] = byte(c)
		}
	case int64:
		if n != 0 {
			return bad()
		}
	default:
		return bad()
	}
	return nil
}

// putStruct accepts base64, an object of fields, or a list of them.
func putStruct(item []byte, v any, d meta.DType, bad func() error) error {
	fields := d.Fields()
	switch n := v.(type) {
	case meta.Map:
		for _, f := range fields {
			value, ok := n.Get(f.Name)
			if !ok {
				return bad()
			}
			if err := putFill(item[f.Offset:f.Offset+f.Type.Size()], value, f.Type); err != nil {
				return err
			}
		}
		return nil
	case []any:
		if len(n) != len(fields) {
			return bad()
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
	n := getUint(item[:min(len(item), 8)], d.BigEndian())
	switch d.Kind() {
	case 'b':
		return item[0] != 0
	case 'u':
		if n > math.MaxInt64 {
			return n
		}
		return int64(n)
	case 'i', 'M', 'm':
		shift := 64 - 8*len(item)
		return int64(n) << shift >> shift
	case 'f':
		return floatJSON(item, d.BigEndian(), version)
	case 'c':
		half := len(item) / 2
		return []any{floatJSON(item[:half], d.BigEndian(), version), floatJSON(item[half:], d.BigEndian(), version)}
	case 'U':
		var b strings.Builder
		for ; len(item) >= 4; item = item[4:] {
			b.WriteRune(rune(getUint(item[:4], d.BigEndian())))
		}
		return strings.TrimRight(b.String(), "\x00")
	}
	return base64.StdEncoding.EncodeToString(item)
}

// floatJSON returns a float. A NaN other than the usual one is given by its bits in version 3.
func floatJSON(item []byte, bigEndian bool, version int) any {
	n := getUint(item[:min(len(item), 8)], bigEndian)
	var f float64
	usual := true
	switch len(item) {
	case 2:
		f, usual = float64(ndarray.Float16FromBits(uint16(n)).Float32()), n == 0x7e00
	case 4:
		f, usual = float64(math.Float32frombits(uint32(n))), n == 0x7fc00000
	case 8:
		f, usual = math.Float64frombits(n), n == 0x7ff8000000000000
	}
	switch {
	case math.IsNaN(f) && !usual && version == 3:
		b := make([]byte, len(item))
		for i := range b {
			b[len(b)-1-i] = byte(n >> (8 * i))
		}
		return "0x" + hex.EncodeToString(b)
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}
