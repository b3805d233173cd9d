// Package data tells which arrays of a file are data, and which are there for the sake of others.
package data

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/ndarray"
)

// mostLookedAt bounds the arrays that are looked at to tell data from what is there for its sake.
const mostLookedAt = 64

// Of returns those of some arrays of a tree that are data: no coordinates, bounds, grid mappings
// and the like. It returns all of them if it cannot tell.
func Of(ctx context.Context, tree ndarray.Tree, keys []string) []string {
	if len(keys) < 2 || len(keys) > mostLookedAt {
		return keys
	}
	data, err := Surely(ctx, tree, keys)
	if err != nil || data == nil {
		return keys
	}
	return data
}

// Surely is Of for any number of arrays, without those of which it cannot tell. It fails if an
// array cannot be opened.
func Surely(ctx context.Context, tree ndarray.Tree, keys []string) (data []string, err error) {
	variables := make([]cf.Variable, len(keys))
	groups := make([]string, len(keys))
	for i, key := range keys {
		src, err := tree.Open(ctx, key)
		if err != nil {
			return nil, err
		}
		groups[i] = path.Dir(path.Join("/", key))

		// Its name, rank and labels tell the role of an array.
		v := cf.Variable{Name: path.Base(key), Rank: len(src.Shape())}
		if labelled, ok := src.(ndarray.Labelled); ok {
			if l, err := labelled.Labels(); err == nil {
				v.Dims = l.Dims
				v.Attributes = l.Attributes
			}
		}
		variables[i] = v

		if c, ok := src.(io.Closer); ok {
			if err := c.Close(); err != nil {
				return nil, err
			}
		}
	}

	// What an array names is in its group, or in one around it.
	others := make([]bool, len(keys))
	for _, group := range slices.Compact(slices.Sorted(slices.Values(groups))) {
		var members []int
		var near []cf.Variable
		for i := range keys {
			if groups[i] == group || strings.HasPrefix(group, strings.TrimSuffix(groups[i], "/")+"/") {
				members = append(members, i)
				near = append(near, variables[i])
			}
		}

		attributes, err := tree.Attributes(ctx, group)
		if err != nil {
			attributes = nil // roles follow from the arrays alone
		}
		for k, role := range cf.Roles(near, attributes) {
			others[members[k]] = others[members[k]] || role != cf.Data
		}
	}

	for i, key := range keys {
		if !others[i] {
			data = append(data, key)
		}
	}
	return data, nil
}
