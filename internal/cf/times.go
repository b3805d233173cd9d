package cf

import (
	"strings"

	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/meta"
)

// TimesOf returns the scale of values with some attributes, or nil if they are no times.
func TimesOf(attributes meta.Map) *cftime.Scale {
	if s, ok := cftime.ParseScale(Text(attributes, "units"), Text(attributes, "calendar")); ok {
		return &s
	}
	return nil
}

// AsTimes returns attributes of values that are times in units since 1970, as NumPy counts them.
func AsTimes(attributes meta.Map, unit string) meta.Map {
	return set(WithTimeUnits(attributes, unit+" since 1970-01-01"), "calendar", "proleptic_gregorian")
}

// Elapsed returns the attributes of differences of times with some attributes: their unit.
func Elapsed(attributes meta.Map) meta.Map {
	unit, _, _ := strings.Cut(Text(attributes, "units"), " ")
	return set(nil, "units", unit)
}

// FlagsOf returns the names of values with some attributes.
func FlagsOf(attributes meta.Map) []Flag { return Of(dtype("<i8"), attributes).Flags }

// WithFlags returns the attributes of integers 0, 1, … that have names.
func WithFlags(names []string) meta.Map {
	values := make([]any, len(names))
	for i := range names {
		values[i] = int64(i)
	}
	return meta.Map{{Key: "flag_values", Value: values}, {Key: "flag_meanings", Value: strings.Join(names, " ")}}
}
