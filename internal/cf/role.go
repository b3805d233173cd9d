package cf

import (
	"slices"
	"strings"

	"github.com/cairn-go/cairn/meta"
)

// A Role is what an array is for in the file or group that it is in.
type Role uint8

// Roles. All but Data are there for the sake of others.
const (
	Data       Role = iota
	Coordinate      // of a dimension, or of the attribute coordinates, or a scalar
	Bounds          // of the cells of coordinates
	Mapping         // a grid mapping: a container of attributes
	Ancillary       // quality flags, areas of cells, terms of formulas, how items were rounded
)

var roleNames = [...]string{"data", "coordinate", "bounds", "grid mapping", "ancillary"}

// String returns the role in words.
func (r Role) String() string { return roleNames[r] }

// A Variable is an array among others.
type Variable struct {
	Name       string
	Dims       []string
	Rank       int
	Attributes meta.Map
}

// A Reference is the name of another array that attributes have, and what that is for.
type Reference struct {
	Name string
	Role Role
}

// referring are the attributes with names of others. Those with pairs have "area: areacella".
var referring = []reference{
	{"coordinates", Coordinate, false}, {"bounds", Bounds, false}, {"climatology", Bounds, false},
	{"grid_mapping", Mapping, true}, {"ancillary_variables", Ancillary, false},
	{"cell_measures", Ancillary, true}, {"formula_terms", Ancillary, true}, {"quantization", Ancillary, false},
}

// A reference is an attribute with names of others.
type reference struct {
	name  string
	role  Role
	pairs bool
}

// References returns the other arrays that attributes name, of an array or of a file.
func References(attributes meta.Map) (all []Reference) {
	for _, r := range referring {
		words := strings.Fields(Text(attributes, r.name))
		pairs := r.pairs && slices.ContainsFunc(words, isTerm)
		for _, word := range words {
			switch {
			case !pairs:
				all = append(all, Reference{word, r.role})
			case isTerm(word) && r.role == Mapping: // "crs: x y": a mapping, and coordinates
				all = append(all, Reference{strings.TrimSuffix(word, ":"), r.role})
			case isTerm(word):
			case r.role == Mapping:
				all = append(all, Reference{word, Coordinate})
			default:
				all = append(all, Reference{word, r.role})
			}
		}
	}
	return all
}

func isTerm(word string) bool { return strings.HasSuffix(word, ":") }

// Roles returns what the arrays of a file or group are for, in their order. shared are the
// attributes of the file or group itself.
func Roles(variables []Variable, shared meta.Map) []Role {
	named := make(map[string]Role)
	name := func(attributes meta.Map) {
		for _, r := range References(attributes) {
			named[r.Name] = r.Role
		}
	}

	name(shared)
	for _, v := range variables {
		name(v.Attributes)
	}

	dims := make(map[string]bool)
	largest := 0
	for _, v := range variables {
		largest = max(largest, v.Rank)
		for _, dim := range v.Dims {
			dims[dim] = true
		}
	}

	roles := make([]Role, len(variables))
	for i, v := range variables {
		switch {
		case Text(v.Attributes, "grid_mapping_name") != "":
			roles[i] = Mapping
		case named[v.Name] != Data:
			roles[i] = named[v.Name]
		case v.Rank == 1 && dims[v.Name] && (len(v.Dims) == 0 || v.Dims[0] == v.Name):
			roles[i] = Coordinate
		case v.Rank == 0 && largest > 0:
			roles[i] = Coordinate
		}
	}
	return roles
}
