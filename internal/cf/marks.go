package cf

import (
	"math"
	"slices"
)

// The names of the attributes for missing items, for formats that keep one of them elsewhere.
const (
	FillValue    = "_FillValue"
	MissingValue = "missing_value"
)

// MarksNothing reports whether an attribute is about missing items and names none: only NaN, which
// is missing anyway.
func MarksNothing(name string, value any) bool {
	if name != FillValue && name != MissingValue {
		return false
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	return !slices.ContainsFunc(list, func(v any) bool { return !IsNaN(v) })
}

// IsNaN reports whether a value of an attribute is NaN.
func IsNaN(v any) bool {
	f, ok := numberOf(v)
	return ok && math.IsNaN(f.value)
}
