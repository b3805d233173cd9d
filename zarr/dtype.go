package zarr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/meta"
)

// Version 2 has NumPy's own text for dtypes: "<f8", or a list of fields for structures.

// noObjects says what to do about items of no fixed size.
const noObjects = "store them as fixed-length strings in the program that wrote them"

// dtypeV2 returns the dtype of an array of version 2.
func dtypeV2(v any) (meta.DType, error) {
	text, err := dtypeText(v, 0)
	if err != nil {
		return meta.DType{}, err
	}
	if strings.Contains(text, "'|O'") || text == "|O" || text == "O" {
		return meta.DType{}, unsupported("dtype %s: items without a fixed size; %s", text, noObjects)
	}
	return parseDType(text)
}

func parseDType(text string) (meta.DType, error) {
	d, err := meta.ParseDType(text)
	if err == nil && d.Size() == 0 {
		err = unsupported("dtype %s: items of 0 bytes", text)
	}
	return d, err
}

// dtypeText returns Python's text of a dtype: a string, or a list of [name, dtype] or [name, dtype,
// shape].
func dtypeText(v any, depth int) (string, error) {
	switch v := v.(type) {
	case string:
		if depth == 0 {
			return v, nil
		}
		return quote(v), nil
	case []any:
		var b strings.Builder
		b.WriteByte('[')
		for i, item := range v {
			f, ok := item.([]any)
			if !ok || len(f) < 2 || len(f) > 3 {
				return "", corrupt("field %d of the dtype is not a list of name, dtype and perhaps shape", i)
			}
			name, ok := f[0].(string)
			if !ok {
				return "", corrupt("the name of field %d of the dtype is not text", i)
			}
			of, err := dtypeText(f[1], depth+1)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "(%s, %s", quote(name), of)
			if len(f) == 3 {
				shape, err := intsOf("the shape of a field", f[2], 0, 1<<31)
				if err != nil {
					return "", err
				}
				b.WriteString(", (")
				for _, n := range shape {
					fmt.Fprintf(&b, "%d,", n)
				}
				b.WriteByte(')')
			}
			b.WriteString("), ")
		}
		b.WriteByte(']')
		return b.String(), nil
	}
	return "", corrupt("the dtype is %s, not text or a list", brief(v))
}

// quote returns text as a string of Python.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\\' || r == '\'':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// jsonV2 returns the dtype for the metadata of version 2.
func jsonV2(d meta.DType) (any, error) {
	if !d.IsStruct() {
		if elem, _, ok := d.SubArray(); ok {
			return nil, unsupported("dtype %v: arrays of %v as items, outside of a structure", d, elem)
		}
		if d.Kind() == 0 {
			return "|V" + strconv.Itoa(d.Size()), nil
		}
		return d.String(), nil
	}
	fields := []any{}
	end := 0
	for _, f := range d.Fields() {
		if f.Offset != end {
			return nil, unsupported("dtype %v: gaps between fields, or overlapping ones", d)
		}
		end += f.Type.Size()
		one := []any{f.Name, nil}
		of := f.Type
		if elem, shape, ok := of.SubArray(); ok {
			of = elem
			extents := []any{}
			for _, n := range shape {
				extents = append(extents, int64(n))
			}
			one = append(one, extents)
		}
		var err error
		if one[1], err = jsonV2(of); err != nil {
			return nil, err
		}
		fields = append(fields, one)
	}
	if d.Size() > end {
		return nil, unsupported("dtype %v: bytes behind the last field", d)
	}
	return fields, nil
}
