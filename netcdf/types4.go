package netcdf

import (
	"path"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn/hdf5"
)

// A namedType is a type that the file defines.
type namedType struct {
	datatype *hdf5.Type
	*Type
}

// readTypes adds the types of a group.
func (r *reader4) readTypes(g *Group, key string) error {
	keys, err := r.file.Types(r.ctx, key)
	if err != nil {
		return err
	}

	for _, key := range keys {
		d, err := r.file.Describe(r.ctx, key)
		if err != nil {
			return err
		}
		t := r.newType(d.Type, path.Base(key))
		g.Types = append(g.Types, t)
		r.types = append(r.types, namedType{d.Type, t})
	}
	return nil
}

// typ returns the type for a datatype.
func (r *reader4) typ(d *hdf5.Type) *Type {
	switch d.Class {
	case hdf5.IntegerType, hdf5.FloatType:
		if t := numberType(d); t != nil {
			return t
		}
	case hdf5.StringType:
		if d.Size == 1 {
			return atomic[typeChar]
		}
		return atomic[typeString]
	case hdf5.VariableType:
		if d.Text {
			return atomic[typeString]
		}
	}

	for _, t := range r.types {
		if reflect.DeepEqual(t.datatype, d) {
			return t.Type
		}
	}
	return r.newType(d, d.String())
}

// numberType returns the atomic type for a number, or nil.
func numberType(d *hdf5.Type) *Type {
	for _, t := range atomic[1:] {
		if t.integer == (d.Class == hdf5.IntegerType) && t.signed == (d.Class == hdf5.FloatType || d.Signed) &&
			int64(t.Size) == d.Size && t != atomic[typeChar] {
			return t
		}
	}
	return nil
}

// newType returns a type with a name.
func (r *reader4) newType(d *hdf5.Type, name string) *Type {
	t := &Type{Name: name, Size: int(d.Size), datatype: d}

	switch d.Class {
	case hdf5.EnumType:
		t.Class = Enum
		t.Base = r.typ(d.Base)
		for _, m := range d.Members {
			t.Members = append(t.Members, Member{Name: m.Name, Value: m.Value})
		}
	case hdf5.CompoundType:
		t.Class = Compound
		for _, m := range d.Members {
			field := Member{Name: m.Name}
			of := m.Type
			for of.Class == hdf5.ArrayType {
				field.Shape = append(field.Shape, of.Shape...)
				of = of.Base
			}
			field.Type = r.typ(of)
			t.Members = append(t.Members, field)
		}
	case hdf5.VariableType:
		t.Class = VLen
		t.Base = r.typ(d.Base)
		t.Size = 0
	case hdf5.OpaqueType:
		t.Class = Opaque
	}

	return t
}

// visible returns the attributes that the netCDF library shows, but for those that cannot be read.
func (r *reader4) visible(list []hdf5.Attribute) (all []Attribute) {
	for _, a := range list {
		if a.Err != nil || a.Type == nil || slices.Contains(hidden, a.Name) {
			continue
		}

		t := r.typ(a.Type)
		if a.Type.Class == hdf5.StringType && len(a.Shape) == 0 {
			t = atomic[typeChar]
		}
		switch {
		case a.Value != nil:
		case t == atomic[typeChar]:
			a.Value = ""
		default:
			a.Value = []any{}
		}
		all = append(all, Attribute{Name: a.Name, Type: t, Value: valueOf(a.Value, t)})
	}
	return all
}

// valueOf returns the value of an attribute as an [Attribute] has it.
func valueOf(v any, t *Type) any {
	switch v := v.(type) {
	case []any:
		if len(v) == 1 {
			return valueOf(v[0], t)
		}

		list := make([]any, len(v))
		for i, e := range v {
			list[i] = valueOf(e, t)
		}
		return list
	case float64:
		if t == atomic[typeFloat] {
			return float32(v)
		}
	case []byte:
		if t == atomic[typeChar] || t == atomic[typeString] {
			return string(v)
		}
	}
	return v
}
