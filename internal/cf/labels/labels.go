// Package labels keeps attributes and the names of dimensions in metalayers of variable length
// (format: metalayers, names and attributes).
package labels

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/meta"
)

// The metalayers whose names are given.
const (
	// Dims is a list of names, nil for a dimension without one. xarray has such an attribute.
	Dims = "_ARRAY_DIMENSIONS"
	// Rest is a map with the attributes that have no metalayer of their own.
	Rest = "_attributes"
)

const maxName = 31 // bytes of the name of a metalayer

// A Holder says which attributes have a metalayer of their own in a frame, with the name of the
// attribute. Others share [Rest].
type Holder struct {
	most int                    // attributes with a metalayer of their own
	own  func(name string) bool // whether an attribute of this name may have one
}

// OfArray returns what an array holds. A frame has at most 16 metalayers, and an array has others.
// Names that begin like those of python-blosc2 and of this package stand for something else there.
func OfArray() Holder {
	return Holder{10, func(name string) bool {
		return suits(name) && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "blosc2")
	}}
}

// OfGroup returns what a group holds, which has a frame for its attributes.
func OfGroup() Holder { return Holder{15, suits} }

// suits reports whether a metalayer may have a name, and [Rest] is not meant.
func suits(name string) bool {
	return name != "" && name != Rest && len(name) <= maxName && !strings.Contains(name, "\x00")
}

// Spread returns the metalayers for attributes: most with the name of the attribute, and perhaps
// [Rest] as the last.
func (h Holder) Spread(attributes meta.Map) (layers meta.Map) {
	var rest meta.Map
	for _, p := range attributes {
		if name, ok := p.Key.(string); ok && h.own(name) && len(layers) < h.most {
			layers = append(layers, p)
		} else {
			rest = append(rest, p)
		}
	}

	if rest != nil {
		layers = append(layers, meta.Pair{Key: Rest, Value: rest})
	}
	return layers
}

// Gather undoes [Holder.Spread], for the values of all metalayers.
func (h Holder) Gather(layers meta.Map) (attributes meta.Map) {
	for _, p := range layers {
		if name, ok := p.Key.(string); ok && h.own(name) {
			attributes = append(attributes, p)
		}
	}
	if rest, ok := layers.Get(Rest); ok {
		if m, ok := rest.(meta.Map); ok {
			attributes = append(attributes, m...)
		}
	}
	return attributes
}

// Put returns the metalayer that changes when an attribute is set, with its new value: the one that
// has the attribute, or else one of its own while there is room, or [Rest].
func (h Holder) Put(layers meta.Map, name string, value any) meta.Pair {
	rest, at := find(layers, name)
	single := 0
	for _, p := range layers {
		if other, ok := p.Key.(string); ok && h.own(other) && other != name {
			single++
		}
	}

	switch _, there := layers.Get(name); {
	case at >= 0:
		rest[at].Value = value
	case h.own(name) && (there || single < h.most):
		return meta.Pair{Key: name, Value: value}
	default:
		rest = append(rest, meta.Pair{Key: name, Value: value})
	}
	return meta.Pair{Key: Rest, Value: rest}
}

// Drop returns the metalayer that changes when an attribute is deleted: [Rest] with its new value,
// or one that is deleted too, where the value is nil. It reports whether there is such an
// attribute.
func (h Holder) Drop(layers meta.Map, name string) (layer string, rest meta.Map, ok bool) {
	rest, at := find(layers, name)
	if at >= 0 {
		return Rest, slices.Delete(rest, at, at+1), true
	}
	_, ok = layers.Get(name)
	return name, nil, ok && h.own(name)
}

// find returns the attributes that share a metalayer, and which of them has a name, or -1.
func find(layers meta.Map, name string) (rest meta.Map, at int) {
	v, _ := layers.Get(Rest)
	rest, _ = v.(meta.Map)
	for at := len(rest) - 1; at >= 0; at-- {
		if rest[at].Key == name {
			return rest, at
		}
	}
	return rest, -1
}

// Names returns the value of [Dims] for names, "" for a dimension without one.
func Names(dims []string) []any {
	list := make([]any, len(dims))
	for i, name := range dims {
		if name != "" {
			list[i] = name
		}
	}
	return list
}

// DimsOf returns the names of n dimensions from the value of [Dims]. It is nil if there are none,
// or not as many.
func DimsOf(v any, n int) []string {
	list, ok := v.([]any)
	if !ok || len(list) != n {
		return nil
	}

	dims := make([]string, n)
	for i, v := range list {
		dims[i], _ = v.(string)
	}
	if !slices.ContainsFunc(dims, func(name string) bool { return name != "" }) {
		return nil
	}
	return dims
}

// Readable returns a text as UTF-8. Files that are not hold Latin-1, most often for a degree sign.
func Readable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// Is reports whether a metalayer holds names or attributes.
func Is(name string) bool { return OfArray().own(name) || name == Dims || name == Rest }
