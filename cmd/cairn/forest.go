package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// A forest is several arrays of any format: a store, a foreign file with several, or a group of
// either. Keys are below the group, and begin with a slash.
type forest struct {
	holding
	grouped grouped // nil for formats without groups
	base    string  // the group, without a slash at the end
	names   map[string]string
	closer  io.Closer
	wrap    func(error) error
}

// openForest opens an operand that names several arrays. It returns nil if it names one, as a pipe
// does.
func (std *streams) openForest(ctx context.Context, operand string, workers int) (*forest, error) {
	if operand == standardIO {
		return nil, nil
	}
	name, key, _ := splitLeaf(operand)
	if looksLikeStore(name) {
		s, err := openStore(name, workers)
		if err != nil {
			return nil, err
		}
		if base := path.Join("/", key); base == "/" || s.IsGroup(base) {
			f := &forest{holding: storeHolding{s}, grouped: storeGroups{s}, closer: s,
				wrap: func(err error) error { return err }}
			f.index(base)
			return f, nil
		}
		return nil, s.Close()
	}
	in, err := std.openForeign(ctx, operand, reading{anyOrder: true})
	var failed *foreignError
	switch {
	case errors.As(err, &failed):
		return nil, err
	case err != nil:
		return nil, nil // whoever opens it as an array says what is wrong
	}
	keys := in.under(in.key)
	base := path.Join("/", in.key)
	if !in.format.trees || len(keys) == 0 || len(keys) == 1 && leafKey(keys[0]) == base {
		return nil, in.Close()
	}
	f := &forest{holding: in.holding, closer: in, wrap: func(err error) error { return &foreignError{in.in.name, err} }}
	f.grouped, _ = in.holding.(grouped)
	f.index(base)
	return f, nil
}

// index notes the keys of the arrays below a group.
func (f *forest) index(base string) {
	f.base, f.names = strings.TrimSuffix(base, "/"), map[string]string{}
	for _, name := range f.keys() {
		if key, ok := strings.CutPrefix(leafKey(name), f.base+"/"); ok {
			f.names["/"+key] = name
		}
	}
}

// arrays returns the keys of all arrays, in order.
func (f *forest) arrays() []string { return slices.Sorted(maps.Keys(f.names)) }

func (f *forest) has(key string) bool {
	_, ok := f.names[key]
	return ok
}

// groupKeys returns the keys of all groups, in order; the first is "/".
func (f *forest) groupKeys() []string {
	keys := []string{"/"}
	for _, group := range f.grouped.groups() {
		if key, ok := strings.CutPrefix(path.Join("/", group), f.base+"/"); ok && key != "" {
			keys = append(keys, "/"+key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// attributes returns the attributes of a group.
func (f *forest) attributes(key string) (meta.Map, error) {
	attributes, err := f.grouped.groupAttributes(path.Join("/", f.base, key))
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, nil
	}
	return attributes, err
}

// size returns the bytes of the items of all arrays that can be opened.
func (f *forest) size(ctx context.Context) (total int64) {
	for _, name := range f.names {
		if src, err := f.open(ctx, name); err == nil {
			total += bytesOf(src)
			_ = closeSource(src)
		}
	}
	return total
}

func (f *forest) close() {
	if f != nil {
		_ = f.closer.Close()
	}
}

// A storeHolding is the arrays of a store.
type storeHolding struct{ *store.Store }

func (h storeHolding) keys() []string {
	var keys []string
	for l := range h.Leaves() {
		keys = append(keys, l.Key)
	}
	return keys
}

func (h storeHolding) open(_ context.Context, key string) (ndarray.Source, error) {
	u, err := h.Array(key)
	if err != nil {
		return nil, err
	}
	return u, nil
}
