package cf

import (
	"slices"
	"strings"

	"github.com/cairn-go/cairn/meta"
)

// methods are the words of CF for operations that make one value of those along dimensions.
var methods = map[string]string{"mean": "mean", "sum": "sum", "min": "minimum", "max": "maximum",
	"std": "standard_deviation", "var": "variance", "median": "median"}

// WithMethod returns the attributes of what an operation along some dimensions has made: those that
// the result has kept, the others of the array it was made of that still hold, and cell_methods,
// which tell what has been done. The words of CF have no operations such as argmax.
func WithMethod(kept, of meta.Map, op string, dims []string) meta.Map {
	kept = slices.Clone(kept)
	for _, r := range referring {
		_, have := kept.Get(r.name)
		if text := Text(of, r.name); text != "" && !have && (r.role == Coordinate || r.role == Mapping) {
			kept = append(kept, meta.Pair{Key: r.name, Value: text})
		}
	}

	word := methods[op]
	if word == "" || len(dims) == 0 || slices.Contains(dims, "") {
		return kept
	}
	text := strings.Join(dims, ": ") + ": " + word
	return set(kept, "cell_methods", strings.TrimSpace(Text(of, "cell_methods")+" "+text))
}

// set returns attributes with another value of one, which it changes.
func set(attributes meta.Map, name, value string) meta.Map {
	for i, p := range attributes {
		if p.Key == name {
			attributes[i].Value = value
			return attributes
		}
	}
	return append(attributes, meta.Pair{Key: name, Value: value})
}

// History is the attribute of a file with a line for each program that has made it, the last one
// first.
const History = "history"

// Recorded returns the attributes of a file with one more line of its history, which comes first. A
// history that is no text stays as it is.
func Recorded(attributes meta.Map, line string) meta.Map {
	v, have := attributes.Get(History)
	if _, ok := v.(string); have && !ok {
		return attributes
	}
	if before := Text(attributes, History); before != "" {
		line += "\n" + before
	}
	return set(slices.Clone(attributes), History, line)
}

// Without returns the attributes of an array without the names of others that are gone.
func Without(attributes meta.Map, gone func(name string) bool) meta.Map {
	changed := slices.Clone(attributes)
	changed = slices.DeleteFunc(changed, func(p meta.Pair) bool {
		i := slices.IndexFunc(referring, func(r reference) bool { return r.name == p.Key })
		return i >= 0 && len(referring[i].left(attributes, gone)) == 0
	})
	for i, p := range changed {
		if k := slices.IndexFunc(referring, func(r reference) bool { return r.name == p.Key }); k >= 0 {
			changed[i].Value = strings.Join(referring[k].left(attributes, gone), " ")
		}
	}
	return changed
}

// left returns the words of an attribute without the names that are gone, and without the terms
// that have lost theirs.
func (r reference) left(attributes meta.Map, gone func(name string) bool) (words []string) {
	all := strings.Fields(Text(attributes, r.name))
	if !slices.ContainsFunc(all, func(w string) bool { return gone(strings.TrimSuffix(w, ":")) }) {
		return strings.Split(Text(attributes, r.name), " ") // as it is
	}
	for i, word := range all {
		name, term := strings.CutSuffix(word, ":")
		switch {
		case !term && gone(name), term && r.role == Mapping && gone(name):
		case term && r.role != Mapping && i+1 < len(all) && gone(all[i+1]):
		default:
			words = append(words, word)
		}
	}
	return words
}

// ofBounds are the attributes that bounds share with their coordinates, and need not have.
var ofBounds = []string{"units", "calendar"}

// WithUnitsOf returns the attributes of bounds with the units of the coordinates that they are for.
func WithUnitsOf(bounds, coordinates meta.Map) meta.Map {
	bounds = slices.Clone(bounds)
	for _, name := range ofBounds {
		_, have := bounds.Get(name)
		if text := Text(coordinates, name); text != "" && !have {
			bounds = append(bounds, meta.Pair{Key: name, Value: text})
		}
	}
	return bounds
}

// WithoutUnits returns the attributes of bounds without the units that they need not have, and did
// not have before.
func WithoutUnits(bounds, before meta.Map) meta.Map {
	return slices.DeleteFunc(slices.Clone(bounds), func(p meta.Pair) bool {
		name, _ := p.Key.(string)
		_, have := before.Get(name)
		return slices.Contains(ofBounds, name) && !have
	})
}

// WithBounds returns the attributes of coordinates with the name of their bounds, or without it if
// that is "".
func WithBounds(attributes meta.Map, name string) meta.Map {
	attributes = slices.DeleteFunc(slices.Clone(attributes), func(p meta.Pair) bool {
		return slices.ContainsFunc(referring, func(r reference) bool { return r.role == Bounds && r.name == p.Key })
	})
	if name != "" {
		attributes = set(attributes, "bounds", name)
	}
	return attributes
}

// WithTimeUnits returns the attributes of times with other units.
func WithTimeUnits(attributes meta.Map, units string) meta.Map {
	return set(slices.Clone(attributes), "units", units)
}

// ofGrid are attributes that tell of the horizontal grid of an array.
var ofGrid = []string{"grid_mapping", "cell_measures", "mesh", "location", "CDI_grid_type", "CDI_grid_num_LPE"}

// OnGrid returns the attributes of an array that has been brought to another horizontal grid:
// without those about the one before. coordinates are the names of arrays of latitudes and
// longitudes that the new one has, or "".
func OnGrid(attributes meta.Map, coordinates string, gone func(name string) bool) meta.Map {
	left := Without(attributes, gone)
	left = slices.DeleteFunc(left, func(p meta.Pair) bool {
		name, _ := p.Key.(string)
		return slices.Contains(ofGrid, name)
	})
	if coordinates != "" {
		left = set(left, "coordinates", strings.TrimSpace(Text(left, "coordinates")+" "+coordinates))
	}
	return left
}

// NamesOfMesh returns the arrays that describe a mesh of UGRID with some attributes.
func NamesOfMesh(attributes meta.Map) (names []string) {
	for _, p := range attributes {
		name, _ := p.Key.(string)
		if strings.HasSuffix(name, "_coordinates") || strings.HasSuffix(name, "_connectivity") {
			names = append(names, strings.Fields(Text(attributes, name))...)
		}
	}
	return names
}

// IsCellArea reports whether an array with some attributes has the areas of cells.
func IsCellArea(attributes meta.Map) bool { return Text(attributes, "standard_name") == "cell_area" }

// HasFill reports whether an attribute says how missing values are marked.
func HasFill(attributes meta.Map) bool {
	_, marked := WithoutMissing(attributes)
	return marked
}

// LatLon returns Y for latitudes, X for longitudes and 0 for other coordinates, such as those of
// projections and of rotated poles.
func LatLon(d meta.DType, attributes meta.Map) Axis {
	m := Of(d, attributes)
	standard, _, _ := strings.Cut(m.StandardName, " ")
	switch {
	case standard == "latitude", standard == "" && SameUnit(m.Unit, "degrees_north"):
		return Y
	case standard == "longitude", standard == "" && SameUnit(m.Unit, "degrees_east"):
		return X
	}
	return 0
}
