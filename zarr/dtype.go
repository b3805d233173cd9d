package zarr

import (
	"errors"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// Version 2 has NumPy's own text for dtypes: "<f8", or a list of fields for structures.

// noObjects says what to do about items of no fixed size.
const noObjects = "store them as fixed-length strings in the program that wrote them"

// parseDType parses a dtype in the forms of [meta.ParseDescr], which are those of version 2.
func parseDType(descr any) (meta.DType, error) {
	d, err := meta.ParseDescr(descr)
	switch {
	case errors.Is(err, cairn.ErrUnsupported):
		return d, unsupported("dtype %s: items without a fixed size; %s", brief(descr), noObjects)
	case err == nil && d.Size() == 0:
		return d, unsupported("dtype %s: items of 0 bytes", brief(descr))
	}
	return d, err
}

// jsonV2 returns the dtype for the metadata of version 2. Of those that only zarr-python 2 reads,
// a single one keeps zarr-python 3 from reading any array of the group.
func jsonV2(d meta.DType) (any, error) {
	const refused = "dtype %v: %s, with which zarr-python 3 reads no array of the group"
	if _, _, ok := d.SubArray(); ok {
		return nil, unsupported(refused, d, "an array as item")
	}
	if !d.IsStruct() {
		if d.Kind() == 0 {
			return "|V" + strconv.Itoa(d.Size()), nil
		}
		if long(d) {
			return nil, unsupported(refused, d, "more than 64 bits")
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
		if f.Type.IsStruct() {
			return nil, unsupported(refused, d, "a structure as field")
		}

		of, err := jsonV2(f.Type)
		if err != nil {
			return nil, err
		}
		fields = append(fields, []any{f.Name, of})
	}

	if d.Size() > end {
		return nil, unsupported("dtype %v: bytes behind the last field", d)
	}
	return fields, nil
}
