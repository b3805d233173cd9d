package npy

import (
	"archive/zip"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/keylist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// index notes which names are paths.
func (a *Archive) index() {
	for _, name := range a.names {
		if name != "." && fs.ValidPath(name) {
			a.paths = append(a.paths, name)
		} else {
			a.others = append(a.others, name)
		}
	}
	slices.Sort(a.paths)
}

// member returns the member of a name or a key; nil if there are two.
func (a *Archive) member(name string) (f *zip.File, ok bool) {
	for _, base := range [...]string{name, strings.TrimPrefix(name, "/")} {
		for _, try := range [...]string{base, strings.TrimSuffix(base, extension)} {
			if f, ok = a.members[try]; ok {
				return f, true
			}
		}
	}
	return nil, false
}

// twice returns the error for a name that two members have.
func twice(name string) error {
	return fmt.Errorf("member %q: %w", name+extension, cairn.Corruptf("npz archive", -1, "two members have this name"))
}

// Open is [Archive.Array] for an [ndarray.Tree].
func (a *Archive) Open(ctx context.Context, key string) (ndarray.Source, error) {
	array, err := a.Array(ctx, key)
	if err != nil {
		return nil, err
	}
	return array, nil
}

// Children returns the arrays in a folder of the archive, and the folders, as an [ndarray.Tree]
// does. Arrays whose names are no paths, such as "a//b", are at the root.
func (a *Archive) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	group = strings.Trim(group, "/")
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	prefix := ""
	others := a.others
	if group != "" {
		prefix = group + "/"
		others = nil
	}

	var nodes []ndarray.Node
	for _, c := range keylist.Children(len(a.paths), func(i int) string { return a.paths[i] }, prefix) {
		if c.Index >= 0 {
			nodes = append(nodes, a.node(c.Key))
		}
		if c.Group {
			nodes = append(nodes, ndarray.Node{Key: "/" + c.Key, Kind: ndarray.GroupNode})
		}
	}
	for _, name := range others {
		nodes = append(nodes, a.node(name))
	}
	slices.SortStableFunc(nodes, func(a, b ndarray.Node) int { return strings.Compare(a.Key, b.Key) })

	if _, ok := a.members[group]; ok && group != "" && nodes == nil {
		return []ndarray.Node{a.node(group)}, nil
	}
	if group != "" && nodes == nil {
		return nil, fmt.Errorf("npz archive: no array or folder %q: %w", group, cairn.ErrNotFound)
	}
	return nodes, nil
}

// node returns the node of an array.
func (a *Archive) node(name string) ndarray.Node {
	n := ndarray.Node{Key: "/" + name, Kind: ndarray.ArrayNode}
	if name == "" {
		n.Key += extension
	}
	if a.members[name] == nil {
		n.Kind = ndarray.DamagedNode
		n.Err = twice(name)
	}
	return n
}

// Attributes returns nil: arrays of archives have no attributes.
func (a *Archive) Attributes(ctx context.Context, key string) (meta.Map, error) {
	_, err := a.Children(ctx, key)
	return nil, err
}
