package store

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// Name returns the path that the store was opened with.
func (s *Store) Name() string { return s.name }

// StoreKind returns what the store says it is: EmbedStore, DictStore or TreeStore.
func (s *Store) StoreKind() Kind { return s.kind }

// Leaves returns the leaves in the order of their keys, without what holds attributes of groups.
func (s *Store) Leaves() iter.Seq[Leaf] {
	return func(yield func(Leaf) bool) {
		s.lent.Store(true)
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
	i, ok := s.search(clean)
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
	below := s.below(clean)
	if len(below) == 0 && clean != "/" {
		return nil, fmt.Errorf("%s: no group %q: %w", s.name, clean, cairn.ErrNotFound)
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

// below returns the leaves that are in a group, or deeper. They lie together.
func (s *Store) below(group string) []Leaf {
	from, to := s.within(group)
	return s.leaves[from:to]
}

// within returns where they begin and end.
func (s *Store) within(group string) (from, to int) {
	if group == "/" {
		return 0, len(s.leaves)
	}
	prefix := group + "/"
	from, _ = s.search(prefix)
	n := sort.Search(len(s.leaves)-from, func(i int) bool { return !strings.HasPrefix(s.leaves[from+i].Key, prefix) })
	return from, from + n
}

// search returns where a key is in the list of leaves, or belongs.
func (s *Store) search(key string) (int, bool) {
	return slices.BinarySearchFunc(s.leaves, key, func(l Leaf, key string) int { return strings.Compare(l.Key, key) })
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
	return err == nil && (clean == "/" || len(s.below(clean)) > 0)
}

// Attributes returns what is noted about a group, in the order in which it was noted: values as [meta.Unpack] gives them. A group without notes has none.
func (s *Store) Attributes(group string) (meta.Map, error) {
	clean, err := Clean(group)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	l, ok := s.leafOf(path.Join(clean, AttributesName))
	if !ok {
		return nil, nil
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
