package cf

import (
	"slices"

	"github.com/cairn-go/cairn/meta"
)

// mostNumbers bounds those that are taken of an attribute.
const mostNumbers = 1 << 10

// Text returns an attribute that is a text, or "".
func Text(attributes meta.Map, name string) string {
	v, _ := attributes.Get(name)
	text, _ := v.(string)
	return text
}

// number returns an attribute that is a finite number, or a list of one.
func number(attributes meta.Map, name string) (Number, bool) {
	v, _ := attributes.Get(name)
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	n, ok := NumberOf(v)
	return n, ok && n.Float-n.Float == 0 // finite
}

// numbers returns an attribute that is a number, or a list of some.
func numbers(attributes meta.Map, name string) (all []Number) {
	v, _ := attributes.Get(name)
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}

	for _, v := range list[:min(len(list), mostNumbers)] {
		if n, ok := NumberOf(v); ok {
			all = append(all, n)
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
