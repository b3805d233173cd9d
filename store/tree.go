package store

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// String returns the path, the kind of the store and the number of its leaves, not counting frames
// of attributes.
func (s *Store) String() string {
	n, noun := 0, "leaves"
	for range s.Leaves() {
		n++
	}
	if n == 1 {
		noun = "leaf"
	}
	return fmt.Sprintf("%s: %s of %d %s", s.name, s.kind, n, noun)
}

// Leaves returns the leaves in the order of their keys, without frames of attributes.
func (s *Store) Leaves() iter.Seq[Leaf] {
	return func(yield func(Leaf) bool) {
		for _, l := range s.leaves.snapshot() {
			if !hidden(l.Key) && !yield(l) {
				return
			}
		}
	}
}

// Leaf returns the leaf of a key, or an error matching [cairn.ErrNotFound]. The leading slash is
// optional. A column of a table may be named /table/column instead of /table/_cols/column.
func (s *Store) Leaf(key string) (Leaf, error) {
	var l Leaf
	clean, err := cleanKey(key)
	if err == nil {
		l, err = s.find(clean)
	}
	return l, s.fail("open", key, err)
}

// find is Leaf for a clean key. Its errors do not include the name of the store.
func (s *Store) find(clean string) (Leaf, error) {
	if l, ok := s.leaves.get(clean); ok {
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

// Children returns the keys of the groups and leaves directly below a group, sorted and without
// duplicates. It fails with [cairn.ErrNotFound] if there are none, except for "/".
func (s *Store) Children(group string) ([]string, error) {
	clean, err := cleanKey(group)
	if err != nil {
		return nil, s.fail("list", group, err)
	}
	below := s.leaves.below(clean)
	if len(below) == 0 && clean != "/" {
		return nil, s.fail("list", clean, fmt.Errorf("no such group: %w", cairn.ErrNotFound))
	}
	prefix := strings.TrimSuffix(clean, "/") + "/"
	var children []string
	for i := range below {
		first, _, _ := strings.Cut(strings.TrimPrefix(below[i].Key, prefix), "/")
		child := prefix + first
		if first != AttributesName && first != "" && (len(children) == 0 || children[len(children)-1] != child) {
			children = append(children, child)
		}
	}
	slices.Sort(children)
	return slices.Compact(children), nil
}

// Groups returns the sorted keys of all groups that have leaves or attributes, and always "/".
func (s *Store) Groups() []string {
	groups := []string{"/"}
	seen := map[string]bool{"/": true}
	leaves := s.leaves.snapshot()
	for i := range leaves {
		for dir := path.Dir(leaves[i].Key); !seen[dir] && dir != "."; dir = path.Dir(dir) {
			seen[dir] = true
			groups = append(groups, dir)
		}
	}
	slices.Sort(groups)
	return groups
}

// IsGroup reports whether there are leaves or attributes below a key.
func (s *Store) IsGroup(key string) bool {
	clean, err := cleanKey(key)
	return err == nil && (clean == "/" || s.leaves.isGroup(clean))
}

// Attributes returns the attributes of a group in the order in which they were set. The values are
// those of [meta.Unpack]. The result is nil if the group has none.
func (s *Store) Attributes(group string) (meta.Map, error) {
	clean, err := cleanKey(group)
	if err != nil {
		return nil, s.fail("read attributes of", group, err)
	}
	l, ok := s.leaves.get(path.Join(clean, AttributesName))
	if !ok {
		return nil, nil
	}
	var m meta.Map
	err = s.within(&l, func(f *frame.Frame) error {
		layers, err := f.VLLayers()
		budget := meta.ValueBytes(s.options.Limits)
		for _, layer := range layers {
			v, err := meta.UnpackWithin(layer.Content, &budget)
			if err != nil {
				return s.fail("read attributes of", l.Key, fmt.Errorf("attribute %q: %w", layer.Name, err))
			}
			m = append(m, meta.Pair{Key: layer.Name, Value: v})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}
