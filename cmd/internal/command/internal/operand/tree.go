package operand

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// A Tree is several arrays of any format: those of a file, or of a group of one. Its keys are below
// the group, and begin with a slash.
type Tree struct {
	*Opened
	Base    string                // the group, without a slash at the end
	Names   map[string]string     // the keys from the root, by key
	Objects map[string]store.Kind // of a store: tables and the like
}

// Several returns the arrays that the place names, or nil if it names one, as a pipe does.
func (o *Opened) Several(ctx context.Context) (*Tree, error) {
	if !o.Format.Trees || o.Place.Kind == place.Standard {
		return nil, nil
	}
	base := path.Join("/", o.Key)
	keys := o.Under(o.Key)
	s := o.Store()
	switch {
	case s != nil && base != "/" && !formats.IsGroup(ctx, s, base),
		s == nil && (len(keys) == 0 || len(keys) == 1 && path.Join("/", keys[0]) == base):
		return nil, nil
	}

	t := &Tree{Opened: o, Base: strings.TrimSuffix(base, "/"), Names: map[string]string{}}
	for _, name := range o.Keys() {
		if key, ok := strings.CutPrefix(path.Join("/", name), t.Base+"/"); ok {
			t.Names["/"+key] = name
		}
	}
	if s == nil {
		return t, nil
	}
	var err error
	t.Objects, err = s.Objects()
	return t, err
}

// Arrays returns the keys of all arrays, in order.
func (t *Tree) Arrays() []string { return slices.Sorted(maps.Keys(t.Names)) }

// Has reports whether there is an array with a key.
func (t *Tree) Has(key string) bool {
	_, ok := t.Names[key]
	return ok
}

// Source opens an array by its key, or fails with [cairn.ErrNotFound].
func (t *Tree) Source(ctx context.Context, key string) (ndarray.Source, error) {
	if !t.Has(key) {
		return nil, cairn.ErrNotFound
	}
	src, err := t.Open(ctx, t.Names[key])
	return src, t.explain(err)
}

// GroupKeys returns the keys of all groups, in order; the first is "/".
func (t *Tree) GroupKeys() []string {
	keys := []string{"/"}
	for _, group := range t.Groups() {
		if key, ok := strings.CutPrefix(path.Join("/", group), t.Base+"/"); ok && key != "" {
			keys = append(keys, "/"+key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// GroupAttributes returns the attributes of a group.
func (t *Tree) GroupAttributes(ctx context.Context, key string) (meta.Map, error) {
	attributes, err := t.Attributes(ctx, path.Join("/", t.Base, key))
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}
	return attributes, err
}

// InTable reports whether an array is part of a table, whose parts keep their chunks.
func (t *Tree) InTable(key string) bool {
	_, ok := ObjectAround(t.Objects, path.Join("/", t.Base, key))
	return ok
}

// ObjectAround returns the table, or another object, that a leaf is part of.
func ObjectAround(objects map[string]store.Kind, key string) (object string, ok bool) {
	for object = path.Dir(path.Join("/", key)); ; object = path.Dir(object) {
		if _, ok = objects[object]; ok || object == "/" {
			return object, ok
		}
	}
}
