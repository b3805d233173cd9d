package govalue

import (
	"fmt"
	"reflect"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// Anys returns n items of dtype d, of size bytes each, as a slice of the Go type that stands for
// the dtype: numbers, bools, texts and times as such, half for 16-bit floats, slices for
// sub-arrays, map[string]any for structures, and []byte for what Go has no type for.
func Anys(d meta.DType, size, n int, half reflect.Type, raw []byte) (reflect.Value, error) {
	if elem, shape, ok := d.SubArray(); ok && d.Size() == size && size > 0 {
		return anyArrays(elem, shape, n, half, raw)
	}
	if d.IsStruct() && d.Size() == size {
		return anyStructs(d, n, half, raw)
	}

	for _, t := range typesOf(d, half) {
		l, err := Of(t, d, size)
		if err != nil {
			continue // dates without a unit, and spans of months, are numbers
		}
		values := reflect.MakeSlice(reflect.SliceOf(t), n, n)
		_, err = l.Decode(Span{values.UnsafePointer(), n}, 0, n, raw)
		return values, err
	}

	values := make([][]byte, n)
	for i := range values {
		values[i] = append([]byte{}, raw[i*size:][:size]...)
	}
	return reflect.ValueOf(values), nil
}

// typesOf returns the types that may stand for a dtype, the best first.
func typesOf(d meta.DType, half reflect.Type) []reflect.Type {
	switch d.Kind() {
	case 'S', 'U':
		return []reflect.Type{reflect.TypeFor[string]()}
	case 'M':
		return []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[int64]()}
	case 'm':
		return []reflect.Type{reflect.TypeFor[time.Duration](), reflect.TypeFor[int64]()}
	}
	return []reflect.Type{reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
		reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](),
		reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), half, reflect.TypeFor[float32](),
		reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128]()}
}

// anyArrays is Anys for sub-arrays: slices of slices.
func anyArrays(elem meta.DType, shape []int, n int, half reflect.Type, raw []byte) (reflect.Value, error) {
	all := n
	for _, extent := range shape {
		all *= extent
	}

	values, err := Anys(elem, elem.Size(), all, half, raw)
	for i := len(shape) - 1; i >= 0 && err == nil; i-- {
		if all = n; i > 0 {
			for _, extent := range shape[:i] {
				all *= extent
			}
		}

		lists := reflect.MakeSlice(reflect.SliceOf(values.Type()), all, all)
		for k := range all {
			lists.Index(k).Set(values.Slice3(k*shape[i], (k+1)*shape[i], (k+1)*shape[i]))
		}
		values = lists
	}
	return values, err
}

// anyStructs is Anys for structures.
func anyStructs(d meta.DType, n int, half reflect.Type, raw []byte) (reflect.Value, error) {
	items := make([]map[string]any, n)
	for i := range items {
		items[i] = map[string]any{}
	}

	for _, f := range d.Fields() {
		size := f.Type.Size()
		column := make([]byte, 0, n*size)
		for i := range n {
			column = append(column, raw[i*d.Size()+f.Offset:][:size]...)
		}

		values, err := Anys(f.Type, size, n, half, column)
		if err != nil {
			return reflect.Value{}, fmt.Errorf("field %q: %w", f.Name, err)
		}

		for i := range items {
			items[i][f.Name] = values.Index(i).Interface()
		}
	}
	return reflect.ValueOf(items), nil
}

// encodeOther is EncodeItem for what is no number: what Anys returns, and structs of Go.
func encodeOther(d meta.DType, size int, value any) ([]byte, error) {
	v := reflect.ValueOf(value)
	misfit := fmt.Errorf("value %v (%T) for dtype %q: %w", value, value, d, cairn.ErrType)
	if !v.IsValid() || d.Size() != size {
		return nil, misfit
	}

	if fields, ok := value.(map[string]any); ok && d.IsStruct() {
		item := make([]byte, size)
		for _, f := range d.Fields() {
			one, ok := fields[f.Name]
			if !ok {
				return nil, fmt.Errorf("a value without field %q for dtype %q: %w", f.Name, d, cairn.ErrType)
			}
			raw, err := EncodeItem(f.Type, f.Type.Size(), one)
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", f.Name, err)
			}
			copy(item[f.Offset:], raw)
		}
		return item, nil
	}

	if elem, shape, ok := d.SubArray(); ok && v.Kind() == reflect.Slice {
		return encodeList(elem, shape, v, misfit)
	}

	l, err := Of(v.Type(), d, size)
	if err != nil || l.Mask != nil {
		return nil, misfit
	}

	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return l.Item(Span{at.UnsafePointer(), 1})
}

// encodeList encodes a sub-array.
func encodeList(elem meta.DType, shape []int, v reflect.Value, misfit error) (item []byte, err error) {
	if len(shape) == 0 || v.Kind() != reflect.Slice || v.Len() != shape[0] {
		return nil, misfit
	}
	for i := range v.Len() {
		var raw []byte
		if len(shape) > 1 {
			raw, err = encodeList(elem, shape[1:], v.Index(i), misfit)
		} else {
			raw, err = EncodeItem(elem, elem.Size(), v.Index(i).Interface())
		}
		if err != nil {
			return nil, err
		}
		item = append(item, raw...)
	}
	return item, nil
}
