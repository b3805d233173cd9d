package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/store"
)

// A tree is the arrays of a store, an archive or a Zarr store, by clean keys: without slashes at
// the ends. It does not change.
type tree struct {
	holding *formats.Holding
	store   *store.Store // or nil
	keyOf   map[string]string
	sorted  []string              // keys of leaves
	groups  map[string]store.Kind // Table for one that is a table

	omitted   []string // the first keys that no path can have, as texts
	omissions int64    // how many there are
}

// mostKeys bounds the leaves of a tree.
const mostKeys = 1 << 20

func newTree(h *formats.Holding) *tree {
	t := &tree{holding: h, store: h.Store(), keyOf: map[string]string{}, groups: map[string]store.Kind{"": store.Frame}}
	keys := h.Keys()
	for _, key := range keys[:min(mostKeys, len(keys))] {
		clean := strings.Trim(key, "/")
		if _, ok := elements(clean); !ok { // it has no place among paths
			if t.omissions++; len(t.omitted) < mostLeftOut {
				t.omitted = append(t.omitted, quoted(clean))
			}
			continue
		}
		t.keyOf[clean] = key
		t.sorted = append(t.sorted, clean)
		t.addGroups(parent(clean))
	}

	for _, group := range h.Groups() {
		if clean := strings.Trim(group, "/"); clean != "" {
			if _, ok := elements(clean); ok {
				t.addGroups(clean)
			}
		}
	}

	if t.store != nil {
		objects, _ := t.store.Objects()
		for key, kind := range objects {
			if clean := strings.Trim(key, "/"); kind == store.Table {
				t.groups[clean] = kind
			}
		}
	}

	t.omissions += int64(max(0, len(keys)-mostKeys))
	slices.Sort(t.sorted)
	return t
}

// addGroups adds a group and those around it.
func (t *tree) addGroups(group string) {
	for ; group != ""; group = parent(group) {
		if _, ok := t.groups[group]; ok {
			return
		}
		t.groups[group] = store.Frame
	}
}

// parent returns the key of the group of a key.
func parent(key string) string {
	i := strings.LastIndexByte(key, '/')
	return key[:max(i, 0)]
}

// isArray reports whether the file is one array, without keys.
func (t *tree) isArray() bool { return len(t.sorted) == 1 && t.sorted[0] == "" }

// children returns the names in a group, sorted.
func (t *tree) children(group string) []string {
	prefix := ""
	if group != "" {
		prefix = group + "/"
	}

	var names []string
	add := func(key string) {
		if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" {
			name, _, _ := strings.Cut(rest, "/")
			names = append(names, name)
		}
	}

	from, _ := slices.BinarySearch(t.sorted, prefix)
	for _, key := range t.sorted[from:] {
		if !strings.HasPrefix(key, prefix) {
			break
		}
		add(key)
	}

	for key := range t.groups {
		add(key)
	}

	slices.Sort(names)
	return slices.Compact(names)
}

// Links returns the links in a tree or in one of its groups, not in groups of that, in the order of
// their keys.
func (c *Catalog) Links(ctx context.Context, path string) ([]described.Link, error) {
	if path == "" {
		return nil, nil
	}

	p, err := c.find(path)
	if err != nil || p.root.source != nil || p.isFolder() {
		return nil, err
	}

	h, err := c.handle(ctx, p)
	if err != nil {
		return nil, err
	}
	defer h.Release()

	if h.Value.tree == nil {
		return nil, nil
	}

	var links []described.Link
	for _, l := range h.Value.tree.holding.Links() {
		if parent(strings.Trim(l.Key, "/")) == p.key {
			links = append(links, described.LinkOf(&l))
		}
	}
	return links, nil
}

// Only returns the path of the only array of a tree or group that is data, or "".
func (c *Catalog) Only(ctx context.Context, path string) (string, error) {
	p, err := c.find(path)
	if err != nil || p.root.source != nil || p.isFolder() {
		return "", err
	}

	h, err := c.handle(ctx, p)
	if err != nil {
		return "", err
	}
	defer h.Release()

	t := h.Value.tree
	if t == nil {
		return "", nil
	}

	prefix := strings.TrimPrefix(p.key+"/", "/")
	var keys []string
	for _, key := range t.sorted {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, t.keyOf[key])
		}
	}

	meant := data.Of(ctx, t.holding.Tree, keys)
	if len(meant) != 1 {
		return "", nil
	}

	key := strings.Trim(meant[0], "/")
	return path + "/" + strings.TrimPrefix(key, prefix), nil
}

// Close closes what the tree is read from.
func (t *tree) Close() error { return t.holding.Close() }
