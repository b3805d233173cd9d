package viewing

import (
	"github.com/cairn-go/cairn/internal/sampling"
	"github.com/cairn-go/cairn/meta"
)

// packingOf returns how numbers are packed into items, as the CF conventions say it in attributes.
func packingOf(attributes meta.Map) *sampling.Packing {
	p := &sampling.Packing{Factor: 1}
	found := false
	for _, a := range []struct {
		name string
		to   *float64
	}{{"scale_factor", &p.Factor}, {"add_offset", &p.Offset}} {
		if v, ok := numberOf(attributes, a.name); ok && v-v == 0 { // finite
			*a.to, found = v, true
		}
	}
	for _, name := range []string{"_FillValue", "missing_value"} {
		if v, ok := numberOf(attributes, name); ok {
			p.Fills, found = append(p.Fills, v), true
		}
	}
	if !found {
		return nil
	}
	return p
}

// numberOf returns an attribute that is a number, or a list of one.
func numberOf(attributes meta.Map, name string) (float64, bool) {
	v, ok := attributes.Get(name)
	if list, isList := v.([]any); isList && len(list) == 1 {
		v = list[0]
	}
	if !ok {
		return 0, false
	}
	switch v := v.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return 0, false
}
