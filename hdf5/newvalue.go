package hdf5

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

// A valueWriter makes bytes of Go values of attributes, as a valueReader reads them.
type valueWriter struct {
	heap    *newHeap
	address func(key string) (int64, bool) // of an object
}

// typed returns the datatype and the shape of an attribute. null says that it has no items.
func (a *Attribute) typed() (t *format.Datatype, shape []int64, null bool, err error) {
	switch {
	case a.Type != nil:
		t, err = a.Type.datatype()
		if text, ok := a.Value.(string); ok && err == nil && a.Type.from == nil && t.Class == format.String {
			t.UTF8 = strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf })
		}
	case a.Value == nil:
		return format.NumberType(1, false, false), nil, true, nil
	default:
		t, err = datatypeOfValue(a.Value)
	}
	if err != nil {
		return nil, nil, false, err
	}
	if a.Value == nil && a.Shape == nil {
		return t, nil, true, nil
	}

	shape = slices.Clone(a.Shape)
	if shape == nil {
		shape = shapeOf(a.Value)
		if inner := depthOf(t); inner > 0 && a.Type != nil {
			shape = shape[:max(0, len(shape)-inner)]
		}
		return t, shape, false, nil
	}
	// The shape of an attribute that was read has the dimensions of its items too.
	for of := t; of.Class == format.Array; of = of.Base {
		shape = shape[:max(0, len(shape)-len(of.Shape))]
	}
	return t, shape, false, nil
}

// depthOf returns how deep in lists the values of a datatype are.
func depthOf(t *format.Datatype) int {
	switch {
	case t.Class == format.Array:
		return len(t.Shape) + depthOf(t.Base)
	case t.Class == format.Variable && !t.Text:
		return 1 + depthOf(t.Base)
	}
	return 0
}

// listOf returns a value as a list, if it is one.
func listOf(value any) ([]any, bool) {
	switch v := value.(type) {
	case []any:
		return v, true
	case []byte, meta.Map, nil:
		return nil, false
	}

	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return nil, false
	}
	list := make([]any, v.Len())
	for i := range list {
		list[i] = v.Index(i).Interface()
	}
	return list, true
}

// shapeOf returns the extents of lists in lists.
func shapeOf(value any) []int64 {
	shape := []int64{}
	for {
		list, ok := listOf(value)
		if !ok {
			return shape
		}
		shape = append(shape, int64(len(list)))
		if len(list) == 0 {
			return shape
		}
		value = list[0]
	}
}

// goTypes are the datatypes of Go values.
var goTypes = map[reflect.Kind]func() *format.Datatype{
	reflect.String: format.TextType, reflect.Bool: boolType,
	reflect.Float32: func() *format.Datatype { return format.FloatType(4, false) },
	reflect.Float64: func() *format.Datatype { return format.FloatType(8, false) },
}

// datatypeOfValue returns the datatype for a value: that of its Go type, or what all values of a
// list have.
func datatypeOfValue(value any) (*format.Datatype, error) {
	if list, ok := listOf(value); ok {
		return datatypeOfList(list)
	}

	switch v := value.(type) {
	case []byte:
		if len(v) > 0 {
			return &format.Datatype{Class: format.OpaqueBytes, Size: int64(len(v))}, nil
		}
	case meta.Map:
		return datatypeOfMap(v)
	}

	r := reflect.ValueOf(value)
	switch {
	case r.CanInt() || r.CanUint():
		return format.NumberType(int64(r.Type().Size()), r.CanInt(), false), nil
	case r.IsValid() && goTypes[r.Kind()] != nil:
		return goTypes[r.Kind()](), nil
	}
	return nil, unsupported("an attribute of Go type %T", value)
}

func datatypeOfMap(m meta.Map) (*format.Datatype, error) {
	c := &format.Datatype{Class: format.Compound}
	for _, p := range m {
		t, err := datatypeOfValue(p.Value)
		if err != nil {
			return nil, err
		}

		if shape := shapeOf(p.Value); len(shape) > 0 {
			if slices.Contains(shape, 0) {
				return nil, unsupported("an empty list in the attribute's field %v", p.Key)
			}
			a := &format.Datatype{Class: format.Array, Base: t, Shape: shape, Size: t.Size}
			for _, n := range shape {
				a.Size *= n
			}
			t = a
		}

		c.Members = append(c.Members, format.Member{Name: fmt.Sprint(p.Key), Offset: c.Size, Type: t})
		c.Size += t.Size
	}
	if len(m) == 0 {
		return nil, unsupported("an attribute without fields")
	}
	return c, nil
}

// datatypeOfList returns the datatype of all values of a list. Integers and floats together are
// floats of 64 bits.
func datatypeOfList(list []any) (*format.Datatype, error) {
	if len(list) == 0 {
		return format.FloatType(8, false), nil
	}

	all, err := datatypeOfValue(list[0])
	for _, v := range list[1:] {
		if err != nil {
			return nil, err
		}
		var t *format.Datatype
		if t, err = datatypeOfValue(v); err != nil || reflect.DeepEqual(t, all) {
			continue
		}

		isNumber := func(t *format.Datatype) bool { return t.Class == format.Fixed || t.Class == format.Float }
		switch {
		case !isNumber(t) || !isNumber(all):
			return nil, unsupported("an attribute with values of several types, %v and %v", all, t)
		case t.Class == format.Fixed && all.Class == format.Fixed && t.Size == all.Size:
			all = format.NumberType(t.Size, false, false) // of int64 and what exceeds it
		default:
			all = format.FloatType(8, false)
		}
	}
	return all, err
}

// append appends the values of a shape.
func (w *valueWriter) append(b []byte, value any, t *format.Datatype, shape []int64) ([]byte, error) {
	if len(shape) == 0 {
		return w.item(b, value, t)
	}
	list, ok := listOf(value)
	if !ok || int64(len(list)) != shape[0] {
		return nil, fmt.Errorf("%.60v is no list of %d values: %w", value, shape[0], cairn.ErrType)
	}

	for _, v := range list {
		var err error
		if b, err = w.append(b, v, t, shape[1:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// item appends an item of a datatype.
func (w *valueWriter) item(b []byte, value any, t *format.Datatype) ([]byte, error) {
	refused := func() ([]byte, error) {
		return nil, fmt.Errorf("%.60v (%T) for items of %v: %w", value, value, t, cairn.ErrType)
	}

	switch t.Class {
	case format.Fixed, format.Bitfield:
		return appendInteger(b, value, t)
	case format.Enum:
		return appendInteger(b, value, t.Base)
	case format.Float:
		return appendFloat(b, value, t)

	case format.String, format.OpaqueBytes:
		text, ok := bytesOf(value)
		if !ok || int64(len(text)) > t.Size || t.Class == format.OpaqueBytes && int64(len(text)) < t.Size {
			return refused()
		}
		fill := byte(0)
		if t.Class == format.String && t.Padding == format.SpacePadded {
			fill = ' '
		}
		b = append(b, text...)
		return append(b, slices.Repeat([]byte{fill}, int(t.Size)-len(text))...), nil

	case format.Reference:
		if t.RefKind != format.ObjectReference {
			return nil, unsupported("writing values of %v", t)
		}
		key, _ := value.(string)
		at, ok := w.address(key)
		if !ok && value != nil && key != "" {
			return nil, fmt.Errorf("a reference to %q: %w", key, cairn.ErrNotFound)
		}
		return appendUint(b, uint64(at), t.Size, false), nil

	case format.Variable:
		return w.variable(b, value, t)
	case format.Array:
		return w.append(b, value, t.Base, t.Shape)
	case format.Compound:
		return w.compound(b, value, t)
	}
	return refused()
}

// bytesOf returns the bytes of a text.
func bytesOf(value any) ([]byte, bool) {
	switch v := value.(type) {
	case string:
		return []byte(v), true
	case []byte:
		return v, true
	}
	return nil, false
}

// variable appends a reference to an item of variable length.
func (w *valueWriter) variable(b []byte, value any, t *format.Datatype) ([]byte, error) {
	if text, ok := bytesOf(value); ok && t.Text {
		return w.heap.append(b, text, len(text))
	}
	list, ok := listOf(value)
	if !ok || t.Text {
		return nil, fmt.Errorf("%.60v (%T) for items of %v: %w", value, value, t, cairn.ErrType)
	}
	data, err := w.append(nil, list, t.Base, []int64{int64(len(list))})
	if err != nil {
		return nil, err
	}
	return w.heap.append(b, data, len(list))
}

func (w *valueWriter) compound(b []byte, value any, t *format.Datatype) ([]byte, error) {
	fields, ok := value.(meta.Map)
	if !ok {
		return nil, fmt.Errorf("%.60v (%T) for items of %v: %w", value, value, t, cairn.ErrType)
	}

	start := len(b)
	b = append(b, make([]byte, t.Size)...)
	for _, m := range t.Members {
		v, ok := fields.Get(m.Name)
		if !ok {
			return nil, fmt.Errorf("no field %q: %w", m.Name, cairn.ErrType)
		}
		item, err := w.item(nil, v, m.Type)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", m.Name, err)
		}
		copy(b[start+int(m.Offset):], item)
	}
	return b, nil
}

// appendUint appends a number of size bytes.
func appendUint(b []byte, n uint64, size int64, bigEndian bool) []byte {
	start := len(b)
	for range size {
		b = append(b, byte(n))
		n >>= 8
	}
	if bigEndian {
		slices.Reverse(b[start:])
	}
	return b
}

// appendInteger appends an integer, which must fit the datatype.
func appendInteger(b []byte, value any, t *format.Datatype) ([]byte, error) {
	r := reflect.ValueOf(value)
	var n uint64
	negative := false
	ok := true
	switch {
	case r.CanInt():
		n = uint64(r.Int())
		negative = r.Int() < 0
	case r.CanUint():
		n = r.Uint()
	case r.Kind() == reflect.Bool && r.Bool():
		n = 1
	default:
		ok = r.Kind() == reflect.Bool
	}

	size := min(t.Size, 8)
	bits := 8 * size
	if t.Signed {
		bits--
	}
	if negative {
		ok = ok && t.Signed && ^n>>bits == 0
	} else {
		ok = ok && (bits == 64 || n>>bits == 0)
	}
	if !ok {
		return nil, fmt.Errorf("%.60v (%T) for items of %v: %w", value, value, t, cairn.ErrType)
	}

	start := len(b)
	b = appendUint(b, n, size, false)
	for range t.Size - size { // of 16 bytes
		if negative {
			b = append(b, 0xff)
		} else {
			b = append(b, 0)
		}
	}
	if t.BigEndian {
		slices.Reverse(b[start:])
	}
	return b, nil
}

// appendFloat appends a number, rounded to the datatype.
func appendFloat(b []byte, value any, t *format.Datatype) ([]byte, error) {
	r := reflect.ValueOf(value)
	var f float64
	switch {
	case r.CanFloat():
		f = r.Float()
	case r.CanInt():
		f = float64(r.Int())
	case r.CanUint():
		f = float64(r.Uint())
	default:
		return nil, fmt.Errorf("%.60v (%T) for items of %v: %w", value, value, t, cairn.ErrType)
	}

	switch t.FloatKind() {
	case "f2":
		return appendUint(b, uint64(govalue.RoundFloat16(f)), 2, t.BigEndian), nil
	case "f4":
		return appendUint(b, uint64(math.Float32bits(float32(f))), 4, t.BigEndian), nil
	case "f8":
		return appendUint(b, math.Float64bits(f), 8, t.BigEndian), nil
	}
	return nil, unsupported("writing values of %v", t)
}
