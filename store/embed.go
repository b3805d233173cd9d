package store

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// embedMap is the metalayer of variable length in which an embed store lists its leaves.
const embedMap = "estore_metadata"

// embeddedLeaves returns the leaves that an embed store lists, in its order. Each lies within what the frame decodes to.
func embeddedLeaves(f *frame.Frame) ([]Leaf, error) {
	raw, err := f.VL(embedMap)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil // a store that nothing was put into
	}
	if err != nil {
		return nil, err
	}
	v, err := meta.Unpack(raw)
	if err != nil {
		return nil, fmt.Errorf("metalayer %q: %w", embedMap, err)
	}
	m, ok := get[meta.Map](v, "embed_map")
	if !ok {
		return nil, cairn.Corruptf("embed store", -1, "metalayer %q has no embed_map", embedMap)
	}
	leaves := make([]Leaf, 0, len(m))
	for _, p := range m {
		key, ok := p.Key.(string)
		if !ok {
			return nil, cairn.Corruptf("embed store", -1, "a key is %T, no text", p.Key)
		}
		l, err := embeddedLeaf(key, p.Value, f.NBytes())
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, l)
	}
	return leaves, nil
}

// embeddedLeaf reads one entry of the map.
func embeddedLeaf(key string, v any, nbytes int64) (Leaf, error) {
	l := Leaf{Key: key, Embedded: true}
	if base, ok := get[string](v, "urlbase"); ok {
		where, _ := get[string](v, "path")
		l.URL = base + where
		return l, nil
	}
	var ok [2]bool
	l.offset, ok[0] = get[int64](v, "offset")
	l.Size, ok[1] = get[int64](v, "length")
	if !ok[0] || !ok[1] {
		return l, cairn.Corruptf("embed store", -1, "the entry of %q has no offset and length", key)
	}
	if l.offset < 0 || l.Size < 0 || l.offset > nbytes || l.Size > nbytes-l.offset {
		return l, cairn.Corruptf("embed store", -1, "%q has %d bytes at %d, but there are %d", key, l.Size, l.offset, nbytes)
	}
	return l, nil
}

// get returns the value of a key of a map, if both are what they should be.
func get[T any](v any, key string) (T, bool) {
	var none T
	m, ok := v.(meta.Map)
	if !ok {
		return none, false
	}
	value, ok := m.Get(key)
	if !ok {
		return none, false
	}
	t, ok := value.(T)
	return t, ok
}
