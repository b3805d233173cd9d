package cf

import (
	"math"
	"slices"

	"github.com/cairn-go/cairn/meta"
)

// The names of the attributes for missing items, for formats that keep one of them elsewhere.
const (
	FillValue    = "_FillValue"
	MissingValue = "missing_value"
)

// WithoutNaN returns attributes without the NaN in some of those for missing items, which marks
// nothing: a NaN is missing anyway, and some formats have no form for it. What is a NaN and nothing
// else is left out.
func WithoutNaN(attributes meta.Map, names ...string) meta.Map {
	var left meta.Map
	for _, p := range attributes {
		name, _ := p.Key.(string)
		if list, ok := p.Value.([]any); ok && slices.Contains(names, name) {
			kept := slices.DeleteFunc(slices.Clone(list), isNaN)
			if len(kept) == 0 {
				continue
			}
			p.Value = kept
		}
		if isNaN(p.Value) && slices.Contains(names, name) {
			continue
		}
		left = append(left, p)
	}
	return left
}

// isNaN reports whether a value of an attribute is NaN.
func isNaN(v any) bool {
	n, ok := NumberOf(v)
	return ok && math.IsNaN(n.Float)
}
