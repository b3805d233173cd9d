package netcdf

import (
	"path"
	"slices"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/meta"
)

// A Group has dimensions, types, variables, attributes and groups, each in the order of the file.
// Files of the classic formats have a single one. The caller must not change it.
type Group struct {
	Name       string // "" for the root
	Types      []*Type
	Dimensions []*Dimension
	Variables  []*Variable
	Attributes []Attribute
	Groups     []*Group

	parent *Group
}

// Key returns the path of the group from the root, "/".
func (g *Group) Key() string {
	if g.parent == nil {
		return "/"
	}
	return path.Join(g.parent.Key(), g.Name)
}

// dimension returns the dimension with a name in the group or the nearest one around it, or nil.
func (g *Group) dimension(name string) *Dimension {
	for ; g != nil; g = g.parent {
		if i := slices.IndexFunc(g.Dimensions, func(d *Dimension) bool { return d.Name == name }); i >= 0 {
			return g.Dimensions[i]
		}
	}
	return nil
}

// A Dimension is shared by the variables of a group and of the groups in it.
type Dimension struct {
	Name      string
	Len       int64 // its present length if it is unlimited
	Unlimited bool

	group  *Group
	number int64 // of NetCDF-4
}

// An Attribute is a name with a value.
type Attribute struct {
	Name string
	Type *Type
	// Value is a string for the types char and string; int64, uint64, float32 or float64 for
	// numbers: int64 if the number fits into it. Lists of several, or of none, are []any. Values of
	// other types are as package hdf5 has them.
	Value any
}

// described returns attributes as a map, with text that is UTF-8.
func described(attributes []Attribute) (m meta.Map) {
	for _, a := range attributes {
		m = append(m, meta.Pair{Key: labels.Readable(a.Name), Value: legible(a.Value)})
	}
	return m
}

// legible returns a value whose texts are UTF-8.
func legible(v any) any {
	switch v := v.(type) {
	case string:
		return labels.Readable(v)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = legible(e)
		}
		return list
	}
	return v
}

// A Class is what kind of type a [Type] is.
type Class uint8

// The classes of types.
const (
	Atomic   Class = iota // a number or text
	Enum                  // integers, some of which have names
	Compound              // several values with names
	VLen                  // a sequence
	Opaque                // bytes
)

// A Type is the type of a variable or an attribute.
type Type struct {
	Name    string // "int" or "string", or the name of a type that the file defines
	Class   Class
	Base    *Type    // of an enum or a sequence
	Members []Member // of an enum or a compound
	Size    int      // bytes of a value; 0 for string and sequences

	// of atomic types
	dtype           meta.DType // of arrays in the classic formats
	little          meta.DType // of those in new NetCDF-4 files
	integer, signed bool
	number          func(bits uint64) any // returns a value of an attribute
	fill            uint64

	datatype *hdf5.Type // of a type that a NetCDF-4 file defines
}

// A Member is a constant of an enum, or a field of a compound.
type Member struct {
	Name  string
	Value int64   // of a constant
	Type  *Type   // of a field
	Shape []int64 // of a field
}
