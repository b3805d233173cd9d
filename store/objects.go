package store

import (
	"errors"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/meta"
)

// registryName is the metalayer of variable length of an embed store that lists objects.
const registryName = "_object_registry"

// Objects returns the groups that form one object each, such as a table, with their kinds, by key.
func (s *Store) Objects() (map[string]Kind, error) {
	objects := map[string]Kind{}
	registry, err := s.registry()
	if err != nil {
		return nil, s.fail("list objects", "", err)
	}

	for _, p := range registry {
		if key, ok := p.Key.(string); ok {
			objects[key] = objectKind(p.Value)
		}
	}

	// Tables written before the registry existed, and a store that is itself a table, have only a
	// manifest.
	for _, l := range s.leaves.snapshot() {
		if path.Base(l.Key) == derived.Manifest && !l.isRemote() {
			root := path.Dir(l.Key)
			if _, known := objects[root]; !known && s.isTable(&l) {
				objects[root] = Table
			}
		}
	}
	return objects, nil
}

// registry returns the list of objects.
func (s *Store) registry() (meta.Map, error) {
	embed := s.embed.Load()
	if embed == nil { // closed
		return nil, nil
	}

	v, err := unpackVL(embed, registryName)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}

	registry, _ := v.(meta.Map)
	return registry, err
}

// objectAt returns the outermost object that contains key or has that key; root is empty if there
// is none. Unlike Objects it examines only the key's parents.
func (s *Store) objectAt(key string) (root string, kind Kind, err error) {
	registry, err := s.registry()
	if err != nil {
		return "", Frame, err
	}

	for at := key; ; at = path.Dir(at) {
		if v, ok := registry.Get(at); ok {
			root = at
			kind = objectKind(v)
		} else if l, ok := s.leaves.get(path.Join(at, derived.Manifest)); ok && !l.isRemote() && s.isTable(&l) {
			root = at
			kind = Table
		}
		if at == "/" {
			return root, kind, nil
		}
	}
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
	var kind any
	err := s.within(l, func(f *frame.Frame) (err error) {
		kind, err = unpackVL(f, "kind")
		return err
	})
	return err == nil && kind == "ctable"
}
