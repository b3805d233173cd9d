package cf

import (
	"slices"

	"github.com/cairn-go/cairn/meta"
)

// mostNumbers bounds those that are taken of an attribute.
const mostNumbers = 1 << 10

// A figure is a number of an attribute.
type figure struct {
	value float64
	whole bool // an integer
	short bool // a float32
}

// Text returns an attribute that is a text, or "".
func Text(attributes meta.Map, name string) string {
	v, _ := attributes.Get(name)
	text, _ := v.(string)
	return text
}

// number returns an attribute that is a finite number, or a list of one.
func number(attributes meta.Map, name string) (figure, bool) {
	v, _ := attributes.Get(name)
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	f, ok := numberOf(v)
	return f, ok && f.value-f.value == 0 // finite
}

func numberOf(v any) (figure, bool) {
	switch v := v.(type) {
	case int64:
		return figure{value: float64(v), whole: true}, true
	case uint64:
		return figure{value: float64(v), whole: true}, true
	case float32:
		return figure{value: float64(v), short: true}, true
	case float64:
		return figure{value: v}, true
	}
	return figure{}, false
}

// numbers returns an attribute that is a number, or a list of some.
func numbers(attributes meta.Map, name string) (all []float64) {
	v, _ := attributes.Get(name)
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, v := range list[:min(len(list), mostNumbers)] {
		if f, ok := numberOf(v); ok {
			all = append(all, f.value)
		}
	}
	return all
}

// WithUnit returns attributes with another unit.
func WithUnit(attributes meta.Map, unit string) meta.Map {
	changed := slices.Clone(attributes)
	for i, p := range changed {
		if p.Key == "units" {
			changed[i].Value = unit
		}
	}
	return changed
}
