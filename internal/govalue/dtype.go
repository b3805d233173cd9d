package govalue

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// DType returns the text of the dtype for a Go type: little-endian, with packed structures. Names
// of fields, and their dtypes if given, come from the struct's tags.
func DType(t reflect.Type) (string, error) {
	text, err := dtypeExpression(t, "")
	if err != nil {
		return "", err
	}

	d, err := meta.ParseDType(text)
	if err != nil {
		return "", err
	}

	var m matcher
	if _, err := m.match("", t, d, 0, 0); err != nil {
		return "", err
	}
	return d.String(), nil
}

// dtypeExpression returns the dtype as a Python expression.
func dtypeExpression(t reflect.Type, given string) (string, error) {
	kind, size := Kind(t)

	switch {
	case given != "":
		d, err := ParseDType(given)
		return pythonOf(d), err
	case t == reflect.TypeFor[time.Time]():
		return "'<M8[ns]'", nil
	case t == reflect.TypeFor[time.Duration]():
		return "'<m8[ns]'", nil
	case kind != 0 && size == 1:
		return fmt.Sprintf("'|%c1'", kind), nil
	case kind != 0:
		return fmt.Sprintf("'<%c%d'", kind, size), nil
	case t.Kind() == reflect.Struct:
		list := "["
		for i := range t.NumField() {
			f := t.Field(i)
			name, given, _ := fieldName(f)
			if name == "" {
				continue
			}

			text, err := dtypeExpression(f.Type, given)
			if err != nil {
				return "", fmt.Errorf("field %s of Go's %s: %w", f.Name, t, err)
			}
			list += "(" + strconv.Quote(name) + ", " + text + "), "
		}
		return list + "]", nil
	case t.Kind() == reflect.Array:
		var shape string
		for ; t.Kind() == reflect.Array; t = t.Elem() {
			shape += strconv.Itoa(t.Len()) + ", "
		}
		elem, err := dtypeExpression(t, "")
		return fmt.Sprintf("(%s, (%s))", elem, shape), err
	case t.Kind() == reflect.String:
		return "", fmt.Errorf("a text has no size: say one in the tag, such as `cairn:\"name,U20\"`: %w", cairn.ErrType)
	}
	return "", fmt.Errorf("no dtype stands for Go's %s: %w", t, cairn.ErrType)
}

// pythonOf returns a dtype as part of a Python expression.
func pythonOf(d meta.DType) string {
	if text := d.String(); text[0] == '[' || text[0] == '{' || text[0] == '(' {
		return text
	}
	return "'" + d.String() + "'"
}

// ParseDType is [meta.ParseDType] for text from a caller, so that errors do not match ErrCorrupt.
func ParseDType(text string) (meta.DType, error) {
	d, err := meta.ParseDType(text)
	var ce *cairn.CorruptError
	if errors.As(err, &ce) {
		err = fmt.Errorf("dtype %q: %s; dtypes are NumPy's, such as \"<f4\" or \"|S10\": %w",
			text, ce.Reason, cairn.ErrType)
	}
	return d, err
}
