package netcdf

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
)

// TypeNamed returns the type of a name, such as "float" or "char", or nil: those that all files
// have.
func TypeNamed(name string) *Type {
	for _, t := range atomic[1:] {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// TypeOf returns the type of variables with items of a dtype. Bools are bytes, and bytes (S) chars.
// What NetCDF has no type for is an error that matches [cairn.ErrUnsupported].
func TypeOf(d meta.DType) (*Type, error) {
	if name, ok := kindTypes[d.Kind()]; ok {
		return TypeNamed(name), nil
	}
	for _, t := range atomic[1:] {
		if t.Size == d.Size() && t != atomic[typeChar] && t.dtype.Kind() == d.Kind() {
			return t, nil
		}
	}
	return nil, unsupported("items of dtype %v in NetCDF", d)
}

// kindTypes are the types of items other than numbers, by the kind of their dtype.
var kindTypes = map[byte]string{'b': "byte", 'S': "char", 'U': "string"}

// Check returns an error unless files of a format can have the attribute: of a variable of a type,
// or of a group if that is nil.
func (a *Attribute) Check(of *Type, f Format) error {
	var err error
	if f == NetCDF4 || f == 0 {
		_, err = attributes4([]Attribute{*a}, of)
	} else {
		c := &newClassic{format: f}
		err = c.attributes(&classicEncoder{wide: f == Data64}, of, []Attribute{*a})
	}
	return err
}

// typed returns the type of an attribute, which it may have from its values; the fill value of a
// variable of a type has that. wide says that there are integers of 64 bits.
func (a *Attribute) typed(of *Type, wide bool) (*Type, error) {
	switch {
	case a.Type != nil:
		return a.Type, nil
	case of != nil && a.Name == cf.FillValue:
		return of, nil
	}
	if _, ok := a.Value.(string); ok {
		return atomic[typeChar], nil
	}
	return typeOfValues(elements(a.Value), wide)
}

// encode returns the type of an attribute, its bytes in a classic file, and the number of values.
func (a *Attribute) encode(of *Type, wide bool) (t *Type, raw []byte, n int, err error) {
	if t, err = a.typed(of, wide); err != nil {
		return nil, nil, 0, err
	}
	if text, ok := a.Value.(string); ok && (t == atomic[typeChar] || t == atomic[typeString]) {
		return atomic[typeChar], []byte(text), len(text), nil
	}

	list := elements(a.Value)
	for i, v := range list {
		raw, err = t.append(raw, v)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("value %d: %w", i, err)
		}
	}
	return t, raw, len(list), nil
}

// elements returns the values of an attribute.
func elements(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}

	v := reflect.ValueOf(value)
	if k := v.Kind(); k != reflect.Slice && k != reflect.Array {
		return []any{value}
	}
	list := make([]any, v.Len())
	for i := range list {
		list[i] = v.Index(i).Interface()
	}
	return list
}

// typeOfValues returns the type that all values have: for Go's numbers the one of their size, for
// int and int64 int if they fit.
func typeOfValues(list []any, wide bool) (*Type, error) {
	if len(list) == 0 {
		return atomic[typeChar], nil
	}

	var name string
	small := true // all fit int
	for _, v := range list {
		of, ok := typeNames[reflect.TypeOf(v)]
		if !ok {
			return nil, unsupported("values of Go type %T", v)
		}
		if n, ok := integerOf(v); ok {
			small = small && (n.magnitude <= math.MaxInt32 || n.negative && n.magnitude == -math.MinInt32)
		}
		switch {
		case name == "" || name == of:
			name = of
		case name == "int64" && of == "uint64" || name == "uint64" && of == "int64":
			name = "uint64"
		case name == "int64" && of == "double" || name == "double" && of == "int64":
			name = "double"
		default:
			return nil, unsupported("values of the types %s and %s in one attribute", name, of)
		}
	}

	switch {
	case name == "int64" && small:
		name = "int"
	case (name == "int64" || name == "uint64") && !wide:
		name = "double" // which then must be exact
	}
	return TypeNamed(name), nil
}

// typeNames are the types of Go values.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[int8](): "byte", reflect.TypeFor[uint8](): "ubyte", reflect.TypeFor[bool](): "byte",
	reflect.TypeFor[int16](): "short", reflect.TypeFor[uint16](): "ushort",
	reflect.TypeFor[int32](): "int", reflect.TypeFor[uint32](): "uint",
	reflect.TypeFor[int64](): "int64", reflect.TypeFor[int](): "int64",
	reflect.TypeFor[uint64](): "uint64", reflect.TypeFor[uint](): "uint64",
	reflect.TypeFor[float32](): "float", reflect.TypeFor[float64](): "double", reflect.TypeFor[string](): "string",
}

// A wideInteger is an integer of up to 65 bits.
type wideInteger struct {
	negative  bool
	magnitude uint64
}

// integerOf returns a Go integer or bool.
func integerOf(v any) (wideInteger, bool) {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		n := r.Int()
		if n < 0 {
			return wideInteger{true, uint64(-n)}, true
		}
		return wideInteger{false, uint64(n)}, true
	case r.CanUint():
		return wideInteger{false, r.Uint()}, true
	case r.Kind() == reflect.Bool && r.Bool():
		return wideInteger{false, 1}, true
	case r.Kind() == reflect.Bool:
		return wideInteger{}, true
	}
	return wideInteger{}, false
}

// append appends a value as big-endian bytes. It must be one that the type can represent: an
// integer exactly, a float rounded.
func (t *Type) append(b []byte, v any) ([]byte, error) {
	refused := func() ([]byte, error) {
		return nil, fmt.Errorf("%v (%T) is no %s: %w", v, v, t.Name, cairn.ErrType)
	}

	if text, ok := v.(string); ok && t == atomic[typeChar] && len(text) == 1 {
		return append(b, text[0]), nil
	}
	if t.number == nil || t == atomic[typeChar] {
		return refused()
	}

	n, whole := integerOf(v)
	if !t.integer {
		f := float64(n.magnitude)
		if n.negative {
			f = -f
		}
		if r := reflect.ValueOf(v); !whole && r.CanFloat() {
			f = r.Float()
		} else if !whole || uint64(math.Abs(f)) != n.magnitude {
			return refused()
		}
		if t.Size == 4 {
			return binary.BigEndian.AppendUint32(b, math.Float32bits(float32(f))), nil
		}
		return binary.BigEndian.AppendUint64(b, math.Float64bits(f)), nil
	}

	most := uint64(math.MaxUint64) >> (64 - 8*t.Size)
	if t.signed {
		most >>= 1
		if n.negative {
			most++
		}
	}
	if !whole || n.magnitude > most || n.negative && !t.signed {
		return refused()
	}

	bits := n.magnitude
	if n.negative {
		bits = -bits
	}
	var all [8]byte
	binary.BigEndian.PutUint64(all[:], bits)
	return append(b, all[8-t.Size:]...), nil
}

// Check returns an error unless files of a format can have variables of the type.
func (t *Type) Check(f Format) error {
	if f == NetCDF4 || f == 0 {
		_, err := t.HDF5()
		return err
	}
	_, err := (&newClassic{format: f}).number(t)
	return err
}
