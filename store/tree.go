package store

import (
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/meta"
)

// Name returns the path that the store was opened with.
func (s *Store) Name() string { return s.name }

// StoreKind returns what the store says it is: EmbedStore, DictStore or TreeStore.
func (s *Store) StoreKind() Kind { return s.kind }

// Leaves returns the leaves in the order of their keys, without what holds attributes of groups.
func (s *Store) Leaves() iter.Seq[Leaf] {
	return func(yield func(Leaf) bool) {
		for _, l := range s.leaves {
			if !hidden(l.Key) && !yield(l) {
				return
			}
		}
	}
}

// Leaf returns the leaf of a key, or [cairn.ErrNotFound]. The slash in front may be left out, and a column of a table be named as /table/column instead of
// /table/_cols/column.
func (s *Store) Leaf(key string) (Leaf, error) {
	clean, err := Clean(key)
	if err != nil {
		return Leaf{}, fmt.Errorf("%s: %w", s.name, err)
	}
	l, err := s.find(clean)
	if err != nil {
		return Leaf{}, fmt.Errorf("%s: %w", s.name, err)
	}
	return l, nil
}

// find is Leaf for a clean key. Its errors do not name the store.
func (s *Store) find(clean string) (Leaf, error) {
	if l, ok := s.leafOf(clean); ok {
		return l, nil
	}
	if l, ok := s.columnLeaf(clean); ok {
		return l, nil
	}
	if s.IsGroup(clean) {
		return Leaf{}, fmt.Errorf("no leaf %q, which is a group: %w", clean, cairn.ErrNotFound)
	}
	return Leaf{}, fmt.Errorf("no leaf %q: %w", clean, cairn.ErrNotFound)
}

// leafOf returns the leaf that has a key.
func (s *Store) leafOf(clean string) (Leaf, bool) {
	i, ok := slices.BinarySearchFunc(s.leaves, clean, func(l Leaf, key string) int { return strings.Compare(l.Key, key) })
	if !ok {
		return Leaf{}, false
	}
	return s.leaves[i], true
}

// Children returns the keys of the groups and leaves right below a group, in order, a group that is also a leaf once. It fails with [cairn.ErrNotFound] if there
// is nothing below.
func (s *Store) Children(group string) ([]string, error) {
	clean, err := Clean(group)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	var children []string
	found := clean == "/"
	for _, l := range s.leaves {
		if !inside(l.Key, clean) {
			continue
		}
		found = true
		rest := strings.TrimPrefix(strings.TrimPrefix(l.Key, clean), "/")
		first, _, _ := strings.Cut(rest, "/")
		if first != AttributesName {
			children = append(children, path.Join(clean, first))
		}
	}
	if !found {
		return nil, fmt.Errorf("%s: no group %q: %w", s.name, clean, cairn.ErrNotFound)
	}
	slices.Sort(children)
	return slices.Compact(children), nil
}

// Groups returns the keys of all groups in order, "/" first: of those that have leaves or attributes.
func (s *Store) Groups() []string {
	groups := []string{"/"}
	seen := map[string]bool{"/": true}
	for i := range s.leaves {
		for dir := path.Dir(s.leaves[i].Key); !seen[dir] && dir != "."; dir = path.Dir(dir) {
			seen[dir] = true
			groups = append(groups, dir)
		}
	}
	slices.Sort(groups)
	return groups
}

// IsGroup reports whether there are leaves below a key.
func (s *Store) IsGroup(key string) bool {
	clean, err := Clean(key)
	return err == nil && (clean == "/" || slices.ContainsFunc(s.leaves, func(l Leaf) bool { return inside(l.Key, clean) }))
}

// Attributes returns what is noted about a group, in the order in which it was noted: values as [meta.Unpack] gives them. A group without notes has none.
func (s *Store) Attributes(group string) (meta.Map, error) {
	clean, err := Clean(group)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	l, err := s.Leaf(path.Join(clean, AttributesName))
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := s.open(&l)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := attributesOf(f, s.options.Limits)
	return m, s.inLeaf(&l, err)
}

// attributesOf unpacks the metalayers of variable length of a frame.
func attributesOf(f *frame.Frame, limits cairn.Limits) (meta.Map, error) {
	layers, err := f.VLLayers()
	if err != nil {
		return nil, err
	}
	var m meta.Map
	budget := meta.ValueBytes(limits)
	for _, l := range layers {
		v, err := meta.UnpackWithin(l.Content, &budget)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", l.Name, err)
		}
		m = append(m, meta.Pair{Key: l.Name, Value: v})
	}
	return m, nil
}

// registryName is the metalayer of variable length of an embed store that lists objects.
const registryName = "_object_registry"

// Objects returns the groups that are one thing together, such as tables, by their keys.
func (s *Store) Objects() (map[string]Kind, error) {
	objects := map[string]Kind{}
	if s.embed == nil {
		return objects, nil
	}
	raw, err := s.embed.VL(registryName)
	if err == nil {
		v, err := meta.Unpack(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: metalayer %s: %w", s.name, registryName, err)
		}
		registry, _ := v.(meta.Map)
		for _, p := range registry {
			if key, ok := p.Key.(string); ok {
				objects[key] = objectKind(p.Value)
			}
		}
	} else if !errors.Is(err, cairn.ErrNotFound) {
		return nil, err
	}
	// Tables that were written before there was a registry, and a store that is one table, have a manifest.
	for _, l := range s.leaves {
		if path.Base(l.Key) == derived.Manifest && !l.isRemote() {
			root := path.Dir(l.Key)
			if _, known := objects[root]; !known && s.isTable(&l) {
				objects[root] = Table
			}
		}
	}
	return objects, nil
}

func (l *Leaf) isRemote() bool { return l.URL != "" }

func objectKind(v any) Kind {
	if kind, _ := get[string](v, "kind"); strings.HasPrefix(kind, "remote") {
		return RemoteStore
	}
	return Table
}

// isTable reports whether a leaf is the manifest of a table.
func (s *Store) isTable(l *Leaf) bool {
	f, err := s.open(l)
	if err != nil {
		return false
	}
	defer f.Close()
	raw, err := f.VL("kind")
	if err != nil {
		return false
	}
	v, err := meta.Unpack(raw)
	return err == nil && v == "ctable"
}
