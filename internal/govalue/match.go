package govalue

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// fieldTag is the key of the struct tags that give the name and the dtype of a field.
const fieldTag = "cairn"

// A matcher compares Go types with dtypes and creates the steps that convert between them.
type matcher struct {
	partial bool // some fields of the dtype have no step
	unfit   bool // some Go fields have no step
}

func mismatch(path string, t reflect.Type, d meta.DType) error {
	what := "array"
	if path != "" {
		what = fmt.Sprintf("field %q", path)
	}
	return fmt.Errorf("%s of dtype %s, not of Go's %s: %w", what, d, t, cairn.ErrType)
}

// match returns the steps between a Go value of type t at offset mem and an item of dtype d at
// offset file.
func (m *matcher) match(path string, t reflect.Type, d meta.DType, mem uintptr, file int) ([]step, error) {
	if elem, shape, ok := d.SubArray(); ok {
		return m.matchArray(path, t, d, elem, shape, mem, file)
	}
	if t.Kind() == reflect.Struct && d.IsStruct() && t != reflect.TypeFor[time.Time]() && !isFloat16(t) {
		return m.matchStruct(path, t, d, mem, file)
	}

	s := step{mem: mem, file: file, size: d.Size(), big: d.BigEndian()}
	fits := false

	switch kind := d.Kind(); {
	case t == reflect.TypeFor[time.Time]():
		s.kind = stepTime
		s.scale, fits = scaleOf(d)
		fits = fits && kind == 'M'
	case t == reflect.TypeFor[time.Duration]():
		s.kind = stepDuration
		s.scale, fits = scaleOf(d)
		fits = fits && kind == 'm' && s.scale.months == 0
	case t.Kind() == reflect.String && kind == 'U':
		s.kind = stepText
		fits = true
	case t.Kind() == reflect.String:
		s.kind = stepBytes
		fits = kind == 'S'
	case t.Kind() == reflect.Array:
		fits = t.Elem().Kind() == reflect.Uint8 && t.Len() == d.Size() && (kind == 'S' || kind == 'V' && !d.IsStruct())
	case kind == 'b':
		s.kind = stepBool
		fits = t.Kind() == reflect.Bool
	default:
		goKind, size := Kind(t)
		fits = goKind != 0 && size == d.Size() && (goKind == kind || (kind == 'M' || kind == 'm') && goKind == 'i')

		width := size
		if kind == 'c' {
			width /= 2
		}
		if width > 1 && d.BigEndian() != hostBigEndian() {
			s.kind = stepSwap
			s.width = width
		}
	}

	if !fits {
		return nil, mismatch(path, t, d)
	}
	return []step{s}, nil
}

// matchArray is match for a sub-array, which is an array of arrays in Go. d is the whole dtype, for
// errors.
func (m *matcher) matchArray(path string, t reflect.Type, d, elem meta.DType, shape []int, mem uintptr, file int) ([]step, error) {
	if len(shape) == 0 {
		return m.match(path, t, elem, mem, file)
	}
	if t.Kind() != reflect.Array || t.Len() != shape[0] {
		return nil, mismatch(path, t, d)
	}

	inner, err := m.matchArray(path, t.Elem(), d, elem, shape[1:], 0, 0)
	if err != nil {
		return nil, err
	}

	stride := elem.Size()
	for _, n := range shape[1:] {
		stride *= n
	}
	return []step{repeat(inner, shape[0], mem, file, t.Elem().Size(), stride)}, nil
}

// matchStruct is match for a structure.
func (m *matcher) matchStruct(path string, t reflect.Type, d meta.DType, mem uintptr, file int) ([]step, error) {
	fields := d.Fields()
	taken := make([]bool, len(fields))
	var steps []step

	for i := range t.NumField() {
		f := t.Field(i)
		name, _, tagged := fieldName(f)
		if name == "" {
			m.unfit = true
			continue
		}

		if !f.IsExported() {
			return nil, fmt.Errorf("field %s of Go's %s has a tag but is not exported: %w", f.Name, t, cairn.ErrType)
		}

		k, err := findField(fields, name, tagged)
		if err != nil {
			return nil, fmt.Errorf("field %s of Go's %s: %w", f.Name, t, err)
		}
		if k < 0 {
			return nil, fmt.Errorf("field %s of Go's %s: dtype %s has no field %q: %w", f.Name, t, d, name, cairn.ErrType)
		}

		if taken[k] {
			return nil, fmt.Errorf("field %s of Go's %s: another one is field %q already: %w", f.Name, t, fields[k].Name, cairn.ErrType)
		}
		taken[k] = true

		more, err := m.match(fieldPath(path, fields[k].Name), f.Type, fields[k].Type, mem+f.Offset, file+fields[k].Offset)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}

	for k, f := range fields {
		m.partial = m.partial || !taken[k] && !isPadding(f, k)
	}
	return merged(steps), nil
}

// fieldName returns the name and the dtype in the tag of a Go field, or the name of the field. The
// name is empty for omitted fields.
func fieldName(f reflect.StructField) (name, dtype string, tagged bool) {
	tag, tagged := f.Tag.Lookup(fieldTag)
	if tag == "-" || !tagged && !f.IsExported() {
		return "", "", false
	}

	name, dtype, _ = strings.Cut(tag, ",")
	if name == "" {
		return f.Name, dtype, false
	}
	return name, dtype, true
}

// findField returns the index of the field with a name, or -1. Case is ignored unless exact is
// true.
func findField(fields []meta.Field, name string, exact bool) (int, error) {
	found := -1
	for k, f := range fields {
		switch {
		case f.Name == name || f.Title == name:
			return k, nil
		case exact || !strings.EqualFold(f.Name, name):
		case found >= 0:
			return -1, fmt.Errorf("it may be field %q or %q: %w", fields[found].Name, f.Name, cairn.ErrType)
		default:
			found = k
		}
	}
	return found, nil
}

// isPadding reports whether the field with the given index is padding of an aligned structure,
// which python-blosc2 names.
func isPadding(f meta.Field, number int) bool {
	_, _, array := f.Type.SubArray()
	return f.Type.Kind() == 'V' && !f.Type.IsStruct() && !array && f.Name == fmt.Sprintf("f%d", number)
}

func fieldPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
