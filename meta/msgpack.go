package meta

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/errkind"
)

// By convention the values of metalayers are msgpack. This file encodes it, unpack.go decodes it;
// both match python-blosc2 byte for byte.

// maxPackDepth bounds the nesting of values, for encoding and decoding.
const maxPackDepth = 128

// Map is a msgpack map in the order of its pairs. Keys may be any value.
type Map []Pair

// Pair is one entry of a [Map].
type Pair struct {
	Key, Value any
}

// Get returns the value of the last pair whose key is the string key.
func (m Map) Get(key string) (any, bool) {
	for _, p := range slices.Backward(m) {
		if k, ok := p.Key.(string); ok && k == key {
			return p.Value, true
		}
	}
	return nil, false
}

// Tuple is a Python tuple, which python-blosc2 stores as an array whose first element is the string
// "__tuple__".
type Tuple []any

// tupleMarker is the first element of an array that represents a tuple.
const tupleMarker = "__tuple__"

// Ext is a msgpack extension value. python-blosc2 uses type 42 for whole frames and types from 43
// on for references and other Python objects. Data is not interpreted.
type Ext struct {
	Type int8
	Data []byte
}

// Pack encodes v as msgpack, always in the shortest form, as python-blosc2 does. v may be nil,
// bool, an integer, float32, float64, string (valid UTF-8), []byte, [Ext], and of such values a
// slice, a Go array, a [Tuple], a [Map], or a map with strings as keys, which is encoded in their
// order: []float64, [][]string and map[string][]any, for example. Equal values give equal bytes.
// The error names a type that cannot be encoded, and matches [cairn.ErrInvalid].
func Pack(v any) ([]byte, error) {
	b, err := appendPacked(nil, v, 0)
	return b, errkind.Invalid(err)
}

func appendPacked(dst []byte, v any, depth int) ([]byte, error) {
	if depth > maxPackDepth {
		return nil, fmt.Errorf("meta: pack: nested more than %d deep", maxPackDepth)
	}
	switch v := v.(type) {
	case []any:
		return appendArray(dst, len(v), depth, func(i int) any { return v[i] })
	case Tuple:
		return appendArray(dst, len(v)+1, depth, func(i int) any {
			if i == 0 {
				return tupleMarker
			}
			return v[i-1]
		})
	case Map:
		return appendMap(dst, v, depth)
	case nil, []byte, Ext:
		return appendLeaf(dst, v)
	}

	// Any other type of lists and maps is taken apart as such.
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		return appendArray(dst, r.Len(), depth, func(i int) any { return r.Index(i).Interface() })
	case r.Kind() == reflect.Map && r.Type().Key().Kind() == reflect.String:
		pairs := make(Map, 0, r.Len())
		for key, value := range r.Seq2() {
			pairs = append(pairs, Pair{key.String(), value.Interface()})
		}
		slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Key.(string), b.Key.(string)) })
		return appendMap(dst, pairs, depth)
	}
	return appendLeaf(dst, v)
}

func appendLeaf(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, 0xc0), nil
	case bool:
		if v {
			return append(dst, 0xc3), nil
		}
		return append(dst, 0xc2), nil
	case float32:
		return binary.BigEndian.AppendUint32(append(dst, 0xca), math.Float32bits(v)), nil
	case float64:
		return binary.BigEndian.AppendUint64(append(dst, 0xcb), math.Float64bits(v)), nil
	case string:
		if !utf8.ValidString(v) {
			return nil, fmt.Errorf("meta: pack: string %q is not valid UTF-8; pack it as []byte", v)
		}
		dst, err := appendSize(dst, len(v), "string", sizeMarkers{fix: 0xa0, fixMax: 31, one: 0xd9, two: 0xda, four: 0xdb})
		return append(dst, v...), err
	case []byte:
		dst, err := appendSize(dst, len(v), "[]byte", sizeMarkers{fixMax: -1, one: 0xc4, two: 0xc5, four: 0xc6})
		return append(dst, v...), err
	case Ext:
		var err error
		switch n := len(v.Data); n {
		case 1:
			dst = append(dst, 0xd4)
		case 2:
			dst = append(dst, 0xd5)
		case 4:
			dst = append(dst, 0xd6)
		case 8:
			dst = append(dst, 0xd7)
		case 16:
			dst = append(dst, 0xd8)
		default:
			dst, err = appendSize(dst, n, "extension", sizeMarkers{fixMax: -1, one: 0xc7, two: 0xc8, four: 0xc9})
		}
		return append(append(dst, byte(v.Type)), v.Data...), err
	}

	switch n := reflect.ValueOf(v); v.(type) {
	case int, int8, int16, int32, int64:
		return appendInt(dst, n.Int()), nil
	case uint, uint8, uint16, uint32, uint64:
		return appendUint(dst, n.Uint()), nil
	}
	return nil, fmt.Errorf("meta: pack: type %T is not possible", v)
}

func appendInt(dst []byte, v int64) []byte {
	switch {
	case v >= 0:
		return appendUint(dst, uint64(v))
	case v >= -32:
		return append(dst, byte(v))
	case v >= math.MinInt8:
		return append(dst, 0xd0, byte(v))
	case v >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(dst, 0xd1), uint16(v))
	case v >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(dst, 0xd2), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, 0xd3), uint64(v))
}

func appendUint(dst []byte, v uint64) []byte {
	switch {
	case v < 0x80:
		return append(dst, byte(v))
	case v <= math.MaxUint8:
		return append(dst, 0xcc, byte(v))
	case v <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, 0xcd), uint16(v))
	case v <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, 0xce), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, 0xcf), v)
}

// sizeMarkers are a type's markers for sizes of different widths; 0 if a width does not exist.
type sizeMarkers struct {
	fix       byte
	fixMax    int
	one       byte
	two, four byte
}

func appendSize(dst []byte, n int, what string, m sizeMarkers) ([]byte, error) {
	switch {
	case n <= m.fixMax:
		return append(dst, m.fix|byte(n)), nil
	case m.one != 0 && n <= math.MaxUint8:
		return append(dst, m.one, byte(n)), nil
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, m.two), uint16(n)), nil
	case int64(n) <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, m.four), uint32(n)), nil
	}
	return nil, fmt.Errorf("meta: pack: %s of %d, at most 2^32-1 is possible", what, n)
}

func appendArray(dst []byte, n, depth int, at func(i int) any) ([]byte, error) {
	dst, err := appendSize(dst, n, "array", sizeMarkers{fix: 0x90, fixMax: 15, two: 0xdc, four: 0xdd})
	for i := 0; i < n && err == nil; i++ {
		dst, err = appendPacked(dst, at(i), depth+1)
	}
	return dst, err
}

func appendMap(dst []byte, m Map, depth int) ([]byte, error) {
	dst, err := appendSize(dst, len(m), "map", sizeMarkers{fix: 0x80, fixMax: 15, two: 0xde, four: 0xdf})
	if err != nil {
		return dst, err
	}

	for i := range m {
		if dst, err = appendPacked(dst, m[i].Key, depth+1); err != nil {
			return dst, err
		}
		if dst, err = appendPacked(dst, m[i].Value, depth+1); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
