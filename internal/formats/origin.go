package formats

// What NetCDF and HDF5 files keep of each other: datatypes of attributes and items, fill values,
// and the order of things, which a tree does not tell.

import (
	"context"
	"fmt"
	"math"
	"path"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// An origin is the file that the arrays of a Writing come from, if it is one of HDF5 or NetCDF.
type origin struct {
	hdf5   *hdf5.File
	netcdf *netcdf.File
	vars   map[string]*netcdf.Variable // by key
	groups map[string]*netcdf.Group
	order  []string // keys of variables as the file has them

	// attributes of the last key that was asked for
	key  string
	have []typedAttribute
}

// A typedAttribute is an attribute of a file, with the value that a tree has.
type typedAttribute struct {
	value  any
	hdf5   *hdf5.Attribute
	netcdf *netcdf.Attribute
}

// originOf returns the origin of arrays of a holding, which may be nil.
func originOf(h *Holding) *origin {
	o := &origin{key: "\x00", vars: map[string]*netcdf.Variable{}, groups: map[string]*netcdf.Group{}}
	if h == nil {
		return o
	}
	switch t := h.Tree.(type) {
	case *hdf5.File:
		o.hdf5 = t
	case *netcdf.File:
		o.netcdf = t
		o.index(t.Root())
	}
	return o
}

func (o *origin) index(g *netcdf.Group) {
	o.groups[g.Key()] = g
	for _, v := range g.Variables {
		o.vars[v.Key()] = v
		o.order = append(o.order, v.Key())
	}
	for _, inner := range g.Groups {
		o.index(inner)
	}
}

// attributes returns the attributes of an array or a group of the file.
func (o *origin) attributes(ctx context.Context, key string) []typedAttribute {
	key = path.Join("/", key)
	if o.key == key {
		return o.have
	}
	o.key = key
	o.have = nil

	if o.hdf5 != nil {
		list, err := o.hdf5.AllAttributes(ctx, key)
		if err != nil {
			return nil // who opens it says why
		}
		for i := range list {
			o.have = append(o.have, typedAttribute{value: list[i].Value, hdf5: &list[i]})
		}
		return o.have
	}

	var list []netcdf.Attribute
	if v := o.vars[key]; v != nil {
		list = v.Attributes
	} else if g := o.groups[key]; g != nil {
		list = g.Attributes
	}
	if len(list) == 0 {
		return nil
	}
	values, err := o.netcdf.Attributes(ctx, key)
	if err != nil || len(values) != len(list) {
		return nil
	}
	for i := range list {
		o.have = append(o.have, typedAttribute{value: values[i].Value, netcdf: &list[i]})
	}
	return o.have
}

// attribute returns the attribute of the file that has a name and a value, or the zero one.
func (o *origin) attribute(ctx context.Context, key, name string, value any) typedAttribute {
	for _, a := range o.attributes(ctx, key) {
		own := ""
		if a.hdf5 != nil {
			own = a.hdf5.Name
		} else {
			own = a.netcdf.Name
		}
		if own == name && sameValue(a.value, value) {
			return a
		}
	}
	return typedAttribute{}
}

// sameValue reports whether values of attributes are equal, where NaN equals itself.
func sameValue(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case float32:
		y, ok := b.(float32)
		return ok && math.Float32bits(x) == math.Float32bits(y)
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, sameValue)
	case meta.Map:
		y, ok := b.(meta.Map)
		return ok && slices.EqualFunc(x, y, func(p, q meta.Pair) bool {
			return p.Key == q.Key && sameValue(p.Value, q.Value)
		})
	}
	return reflect.DeepEqual(a, b)
}

// hdf5Attribute returns an attribute with the datatype that it has in the file, if HDF5 has it.
func (o *origin) hdf5Attribute(ctx context.Context, key, name string, value any) (hdf5.Attribute, bool) {
	switch a := o.attribute(ctx, key, name, value); {
	case a.hdf5 != nil:
		return rawTexts(a.hdf5), a.hdf5.Type != nil
	case a.netcdf != nil:
		var of *netcdf.Type
		if v := o.vars[path.Join("/", key)]; v != nil {
			of = v.Type
		}
		made, err := a.netcdf.HDF5(of)
		if _, ok := a.value.(string); ok && err == nil && made.Type.Class == hdf5.VariableType {
			made.Value = a.value // a list in NetCDF-4
		}
		return made, err == nil && made.Value != nil // as an empty text would be
	}
	return hdf5.Attribute{}, false
}

// rawTexts returns an attribute as it is to be written. Texts of fixed length that are not UTF-8
// keep their bytes, of which the value is only a reading.
func rawTexts(a *hdf5.Attribute) hdf5.Attribute {
	made := hdf5.Attribute{Name: a.Name, Value: a.Value, Type: a.Type, Shape: a.Shape}
	if a.Type == nil || a.Type.Class != hdf5.StringType || a.Value == nil {
		return made
	}
	if size := a.Type.Size; size > 0 && int64(len(a.Data))%size == 0 && len(a.Data) > 0 {
		rest := a.Data
		made.Value = nested(a.Shape, func() any {
			item := rest[:size]
			rest = rest[size:]
			return item
		})
	}
	return made
}

// nested returns lists of items of a shape.
func nested(shape ndarray.Shape, next func() any) any {
	if len(shape) == 0 {
		return next()
	}
	list := make([]any, shape[0])
	for i := range list {
		list[i] = nested(shape[1:], next)
	}
	return list
}

// netcdfAttribute returns an attribute with the type that it has in the file, if NetCDF has it.
func (o *origin) netcdfAttribute(ctx context.Context, key, name string, value any) (netcdf.Attribute, bool) {
	switch a := o.attribute(ctx, key, name, value); {
	case a.netcdf != nil:
		return *a.netcdf, true
	case a.hdf5 != nil && a.hdf5.Type != nil:
		t := netcdfType(a.hdf5.Type)
		return netcdf.Attribute{Name: name, Type: t, Value: a.hdf5.Value}, t != nil
	}
	return netcdf.Attribute{}, false
}

// netcdfType returns the type of NetCDF for a datatype of numbers or of texts of variable length,
// or nil.
func netcdfType(t *hdf5.Type) *netcdf.Type {
	names := map[int64]string{1: "byte", 2: "short", 4: "int", 8: "int64"}
	switch {
	case t.Class == hdf5.FloatType:
		names = map[int64]string{4: "float", 8: "double"}
	case t.Class == hdf5.VariableType && t.Text:
		return netcdf.TypeNamed("string")
	case t.Class != hdf5.IntegerType:
		return nil
	case !t.Signed:
		return netcdf.TypeNamed("u" + names[t.Size])
	}
	return netcdf.TypeNamed(names[t.Size])
}

// items returns the datatype that items of a source have in the file, and the fill value, where
// items of another file can have them; nil for others.
func (o *origin) items(ctx context.Context, key string, src ndarray.Source) (t *hdf5.Type, fill []byte) {
	key = path.Join("/", key)
	var d *hdf5.Dataset
	if v := o.vars[key]; v != nil {
		t, _ = v.Type.HDF5() // nil after an error
		d = v.Dataset(ctx)
	} else if o.hdf5 != nil {
		if is, err := o.hdf5.Describe(ctx, key); err == nil {
			t = is.Type
		}
		d, _ = src.(*hdf5.Dataset)
	}
	if t == nil || !t.Fits(src.DType()) {
		return nil, nil
	}

	if d != nil && d.DType().Equal(src.DType()) && t.Class != hdf5.VariableType {
		if fill = d.Info().Fill; int64(len(fill)) != t.Size {
			fill = nil
		}
	}
	return t, fill
}

// references calls visit with the keys of the objects that a value of a datatype refers to, until
// that returns false.
func references(t *hdf5.Type, value any, visit func(key string) bool) bool {
	if list, ok := value.([]any); ok {
		for _, e := range list {
			if !references(t, e, visit) {
				return false
			}
		}
		return true
	}

	// Lists are those of a shape, of arrays and of sequences.
	for t.Base != nil && (t.Class == hdf5.VariableType || t.Class == hdf5.ArrayType) {
		t = t.Base
	}
	switch v := value.(type) {
	case string:
		return t.Class != hdf5.ReferenceType || visit(v)
	case meta.Map:
		for _, m := range t.Members {
			if e, ok := v.Get(m.Name); ok && m.Type != nil && !references(m.Type, e, visit) {
				return false
			}
		}
	}
	return true
}

// sorted returns keys in the order in which a NetCDF file has the variables; others follow.
func (o *origin) sorted(keys []string) []string {
	place := make(map[string]int, len(o.order))
	for i, key := range o.order {
		place[key] = i
	}
	rank := func(key string) int {
		if i, ok := place[Key(key)]; ok {
			return i
		}
		return len(place)
	}
	keys = slices.Clone(keys)
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

// home returns the key of the group that has a dimension of a variable in a group.
func (o *origin) home(group, name string) string {
	for at := group; ; at = path.Dir(at) {
		if g := o.groups[at]; g != nil && slices.ContainsFunc(g.Dimensions, func(d *netcdf.Dimension) bool {
			return d.Name == name
		}) {
			return at
		}
		if at == "/" {
			return group
		}
	}
}

// lost is the error for an attribute that refers to what is not written.
func lost(key string) error { return fmt.Errorf("it refers to %s, which is left out", key) }
