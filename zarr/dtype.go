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

// jsonV2 returns the dtype for the metadata of version 2.
func jsonV2(d meta.DType) (any, error) {
	if !d.IsStruct() {
		if elem, _, ok := d.SubArray(); ok {
			return nil, unsupported("dtype %v: arrays of %v as items, outside of a structure", d, elem)
		}
		if d.Kind() == 0 {
			return "|V" + strconv.Itoa(d.Size()), nil
		}
		if long(d) {
			return nil, unsupported("dtype %v, with which zarr-python reads no array of the group", d)
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
