package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// String returns the path, the kind of the store and the number of its leaves, not counting frames
// of attributes.
func (s *Store) String() string {
	n := 0
	noun := "leaves"
	for _, l := range s.leaves.snapshot() {
		if !hidden(l.Key) {
			n++
		}
	}
	if n == 1 {
		noun = "leaf"
	}
	return fmt.Sprintf("%s: %s of %d %s", s.name, s.kind, n, noun)
}

// Leaves returns the leaves in the order of their keys, without frames of attributes.
func (s *Store) Leaves() iter.Seq[Leaf] {
	return func(yield func(Leaf) bool) {
		for _, l := range s.measured() {
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
	if err != nil {
		return l, s.fail("open", key, err)
	}

	l, err = s.find(clean)
	return l, s.fail("open", key, err)
}

// find is Leaf for a clean key. Its errors do not include the name of the store.
func (s *Store) find(clean string) (Leaf, error) {
	if l, ok := s.leaves.get(clean); ok {
		return s.measure(l), nil
	}
	if l, ok := s.columnLeaf(clean); ok {
		return s.measure(l), nil
	}
	if s.isGroup(clean) {
		return Leaf{}, fmt.Errorf("no leaf %q, which is a group: %w", clean, cairn.ErrNotFound)
	}
	return Leaf{}, fmt.Errorf("no leaf %q: %w", clean, cairn.ErrNotFound)
}

// Children returns the groups and leaves in a group, as an [ndarray.Tree] does. Leaves are
// ArrayNodes, although some may be frames that hold no array, except for addresses of arrays on
// servers. Objects of several leaves, such as tables, are groups; see [Store.Objects].
func (s *Store) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	clean, err := cleanKey(group)
	if err != nil {
		return nil, s.fail("list", group, err)
	}

	if err = ctx.Err(); err != nil {
		return nil, s.fail("list", group, err)
	}

	nodes := s.leaves.children(clean)
	if nodes == nil && clean != "/" && !s.leaves.isGroup(clean) {
		l, err := s.find(clean)
		if err != nil {
			return nil, s.fail("list", clean, err)
		}
		nodes = []ndarray.Node{l.node(clean)}
	}
	return nodes, nil
}

// node returns the node of a leaf, by a key that may be another name of it.
func (l *Leaf) node(key string) ndarray.Node {
	n := ndarray.Node{Key: key, Kind: ndarray.ArrayNode}
	if l.isRemote() {
		n.Kind = ndarray.OtherNode
		n.What = "array on a server"
		n.Target = l.URL
	}
	return n
}

// isGroup reports whether there are leaves or attributes below a key.
func (s *Store) isGroup(key string) bool {
	clean, err := cleanKey(key)
	return err == nil && (clean == "/" || s.leaves.isGroup(clean))
}

// Attributes returns the attributes of a group in the order in which they were set, or those of an
// array, see [ndarray.Untyped.Labels]. The values are those of [meta.Unpack]. The result is nil if
// there are none.
func (s *Store) Attributes(ctx context.Context, key string) (meta.Map, error) {
	clean, err := cleanKey(key)
	if err != nil {
		return nil, s.fail("read attributes of", key, err)
	}

	if err = ctx.Err(); err != nil {
		return nil, s.fail("read attributes of", key, err)
	}
	if l, ok := s.leaves.get(path.Join(clean, AttributesName)); ok {
		var layers meta.Map
		err := s.within(&l, func(f *frame.Frame) (err error) {
			layers, err = s.attributeLayers(f)
			return err
		})
		if err != nil {
			return nil, s.fail("read attributes of", l.Key, err)
		}
		return labels.OfGroup().Gather(layers), nil
	}

	l, err := s.find(clean)
	switch {
	case s.isGroup(clean) || err == nil && l.isRemote():
		return nil, nil
	case err != nil:
		return nil, s.fail("read attributes of", clean, err)
	}

	u, err := s.Array(ctx, clean)
	if errors.Is(err, cairn.ErrNotFound) { // a plain frame
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	of, err := u.Labels()
	return of.Attributes, errors.Join(err, u.Close())
}

// attributeLayers returns the metalayers of a frame of attributes, decoded.
func (s *Store) attributeLayers(f *frame.Frame) (m meta.Map, err error) {
	layers, err := f.VLLayers()
	if err != nil {
		return nil, err
	}

	budget := meta.ValueBytes(s.options.Limits)
	for _, layer := range layers {
		v, err := meta.UnpackWithin(layer.Content, &budget)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", layer.Name, err)
		}
		m = append(m, meta.Pair{Key: layer.Name, Value: v})
	}
	return m, nil
}
