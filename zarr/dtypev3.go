package zarr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/meta"
)

// Version 3 names its dtypes; extensions have a configuration. Byte order is a matter of the codec
// bytes, except in structures, whose numbers are always little-endian.
//
// The core names and r* are from the specification of Zarr 3; the others from zarr-extensions and
// zarr-python 3.1.6.

// plainV3 maps the dtypes without a configuration to NumPy's letters.
var plainV3 = [...][2]string{
	{"bool", "b1"}, {"int8", "i1"}, {"int16", "i2"}, {"int32", "i4"}, {"int64", "i8"},
	{"uint8", "u1"}, {"uint16", "u2"}, {"uint32", "u4"}, {"uint64", "u8"},
	{"float16", "f2"}, {"float32", "f4"}, {"float64", "f8"}, {"complex64", "c8"}, {"complex128", "c16"},
}

// The dtypes with a configuration.
const (
	nameRaw       = "raw_bytes"
	nameBytes     = "null_terminated_bytes"
	nameText      = "fixed_length_utf32"
	nameDatetime  = "numpy.datetime64"
	nameTimedelta = "numpy.timedelta64"
	nameStruct    = "struct"
	nameStructOld = "structured" // in zarr-python until 3.1.6
)

// namedParts splits an extension point of version 3: a name, or an object with a name and a
// configuration.
func namedParts(what string, v any) (name string, configuration meta.Map, err error) {
	if name, ok := v.(string); ok {
		return name, nil, nil
	}

	m, err := objectOf(what, v)
	if err != nil {
		return "", nil, err
	}
	if name, err = textOf("the name of "+what, field(m, "name")); err != nil {
		return "", nil, err
	}

	if c, ok := m.Get("configuration"); ok && c != nil {
		if configuration, err = objectOf("the configuration of "+name, c); err != nil {
			return "", nil, err
		}
	}
	return name, configuration, nil
}

// descrV3 returns a dtype of version 3 as parseDType takes it, with numbers in the byte order given
// by NumPy's letter.
func descrV3(v any, order string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, corrupt("structures are nested more than %d deep", maxDepth)
	}
	name, c, err := namedParts("the data type", v)
	if err != nil {
		return nil, err
	}

	for _, p := range plainV3 {
		if p[0] != name {
			continue
		}
		if p[1][1:] == "1" {
			order = "|"
		}
		return order + p[1], nil
	}

	size := func(unit int64) (int64, error) {
		n, err := intOf("length_bytes of "+name, field(c, "length_bytes"), 1, 1<<31-1)
		if err == nil && n%unit != 0 {
			err = corrupt("length_bytes of %s is %d, not a multiple of %d", name, n, unit)
		}
		return n / unit, err
	}

	var n int64
	switch name {
	case nameRaw:
		n, err = size(1)
		return fmt.Sprintf("|V%d", n), err
	case nameBytes:
		n, err = size(1)
		return fmt.Sprintf("|S%d", n), err
	case nameText:
		n, err = size(4)
		return fmt.Sprintf("%sU%d", order, n), err
	case nameDatetime, nameTimedelta:
		return timeTextV3(name, c, order)
	case nameStruct, nameStructOld:
		return structDescrV3(c, depth)
	case "variable_length_bytes", "bytes", "variable_length_utf8":
		return nil, unsupported("data type %s: items without a fixed size; %s", name, noObjects)
	}

	if bits, ok := strings.CutPrefix(name, "r"); ok {
		if n, err := strconv.ParseInt(bits, 10, 32); err == nil && n > 0 && n%8 == 0 {
			return fmt.Sprintf("|V%d", n/8), nil
		}
	}
	return nil, unsupported("data type %q", clip(name))
}

func timeTextV3(name string, c meta.Map, order string) (string, error) {
	letter := order + "M8"
	if name == nameTimedelta {
		letter = order + "m8"
	}

	unit, err := textOf("the unit of "+name, field(c, "unit"))
	if err != nil || unit == "generic" {
		return letter, err
	}

	factor, err := intOf("the scale_factor of "+name, field(c, "scale_factor"), 1, 1<<31-1)
	if err != nil {
		return "", err
	}
	if factor == 1 {
		return fmt.Sprintf("%s[%s]", letter, unit), nil
	}
	return fmt.Sprintf("%s[%d%s]", letter, factor, unit), nil
}

// structDescrV3 returns a structure as a list of fields. In the metadata a field is a list of name
// and dtype, or an object with both.
func structDescrV3(c meta.Map, depth int) (any, error) {
	list, ok := field(c, "fields").([]any)
	if !ok || len(list) == 0 {
		return nil, corrupt("structure without fields")
	}

	var fields []any
	for i, item := range list {
		var name, of any
		switch f := item.(type) {
		case []any:
			if len(f) == 2 {
				name = f[0]
				of = f[1]
			}
		case meta.Map:
			name = field(f, "name")
			of = field(f, "data_type")
		}

		text, ok := name.(string)
		if !ok {
			return nil, corrupt("field %d of the data type is not a name and a data type", i)
		}

		inner, err := descrV3(of, "<", depth+1)
		if err != nil {
			return nil, err
		}
		fields = append(fields, []any{text, inner})
	}
	return fields, nil
}

// jsonV3 returns the dtype for the metadata of version 3.
func jsonV3(d meta.DType) (any, error) {
	configured := func(name string, pairs ...meta.Pair) (any, error) {
		return meta.Map{{Key: "name", Value: name}, {Key: "configuration", Value: meta.Map(pairs)}}, nil
	}
	size := meta.Pair{Key: "length_bytes", Value: int64(d.Size())}

	if _, _, ok := d.SubArray(); ok {
		return nil, unsupported("dtype %v: an array as item, which zarr-python 3 does not read", d)
	}
	if d.IsStruct() {
		return structV3(d)
	}

	switch d.Kind() {
	case 'S':
		return configured(nameBytes, size)
	case 'U':
		return configured(nameText, size)
	case 'V', 0:
		return configured(nameRaw, size)
	case 'M', 'm':
		unit, count := d.Unit()
		if unit == "" {
			unit = "generic"
			count = 1
		}
		name := nameDatetime
		if d.Kind() == 'm' {
			name = nameTimedelta
		}
		return configured(name, meta.Pair{Key: "unit", Value: unit},
			meta.Pair{Key: "scale_factor", Value: int64(max(1, count))})
	}

	letter := fmt.Sprintf("%c%d", d.Kind(), d.Size())
	for _, p := range plainV3 {
		if p[1] == letter {
			return p[0], nil
		}
	}
	return nil, unsupported("dtype %v in Zarr", d)
}

func structV3(d meta.DType) (any, error) {
	fields := []any{}
	end := 0
	for _, f := range d.Fields() {
		if f.Offset != end {
			return nil, unsupported("dtype %v: gaps between fields, or overlapping ones", d)
		}
		if f.Type.BigEndian() {
			return nil, unsupported("dtype %v: big-endian fields in Zarr version 3; version 2 has them", d)
		}

		of, err := jsonV3(f.Type)
		if err != nil {
			return nil, err
		}
		end += f.Type.Size()
		fields = append(fields, []any{f.Name, of})
	}

	if end != d.Size() {
		return nil, unsupported("dtype %v: bytes behind the last field", d)
	}
	return meta.Map{{Key: "name", Value: nameStructOld}, {Key: "configuration",
		Value: meta.Map{{Key: "fields", Value: fields}}}}, nil
}

// long reports whether items are floats of more than 64 bits, which differ between machines.
func long(d meta.DType) bool {
	return d.Kind() == 'f' && d.Size() > 8 || d.Kind() == 'c' && d.Size() > 16
}

// shardable reports whether zarr-python reads shards of items. It takes the hash of the fill value,
// and those of structures and of plain bytes have none.
func shardable(d meta.DType) bool { return d.Kind() != 'V' && !d.IsStruct() }
