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
	all, err := List(ctx, tree, keys)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.Role == cf.Data {
			data = append(data, a.Key)
		}
	}
	return data, nil
}

// An Array is an array of a tree, with what it is for.
type Array struct {
	Key string
	cf.Variable
	Role cf.Role
}

// group returns the group of an array.
func (a *Array) group() string { return path.Dir(path.Join("/", a.Key)) }

// List looks at the labels of some arrays of a tree. It fails if one cannot be opened.
func List(ctx context.Context, tree ndarray.Tree, keys []string) ([]Array, error) {
	all := make([]Array, len(keys))
	groups := make([]string, len(keys))
	for i, key := range keys {
		src, err := tree.Open(ctx, key)
		if err != nil {
			return nil, err
		}

		// Its name, rank and labels tell the role of an array.
		v := cf.Variable{Name: path.Base(key), Rank: len(src.Shape())}
		if labelled, ok := src.(ndarray.Labelled); ok {
			if l, err := labelled.Labels(); err == nil {
				v.Dims = l.Dims
				v.Attributes = l.Attributes
			}
		}
		all[i] = Array{Key: key, Variable: v}
		groups[i] = all[i].group()

		if c, ok := src.(io.Closer); ok {
			if err := c.Close(); err != nil {
				return nil, err
			}
		}
	}

	// What an array names is in its group, or in one around it.
	for _, group := range slices.Compact(slices.Sorted(slices.Values(groups))) {
		var members []int
		var near []cf.Variable
		for i := range keys {
			if within(group, groups[i]) {
				members = append(members, i)
				near = append(near, all[i].Variable)
			}
		}

		attributes, err := tree.Attributes(ctx, group)
		if err != nil {
			attributes = nil // roles follow from the arrays alone
		}
		for k, role := range cf.Roles(near, attributes) {
			if role != cf.Data {
				all[members[k]].Role = role
			}
		}
	}
	return all, nil
}

// within reports whether a group is another one, or in it.
func within(group, around string) bool {
	return group == around || strings.HasPrefix(group, strings.TrimSuffix(around, "/")+"/")
}

// Follow returns the keys of some of the arrays of a tree, and of those that they name: coordinates
// of their dimensions, and what attributes refer to, in the group of an array or around it.
func Follow(all []Array, chosen []string) []string {
	taken := map[string]bool{}
	var take func(a *Array)
	take = func(a *Array) {
		if taken[a.Key] {
			return
		}
		taken[a.Key] = true
		names := slices.Clone(a.Dims)
		for _, r := range cf.References(a.Attributes) {
			names = append(names, r.Name)
		}
		for _, name := range names {
			if other := nearest(all, a.group(), name); other != nil {
				take(other)
			}
		}
	}

	for i := range all {
		if slices.Contains(chosen, all[i].Key) {
			take(&all[i])
		}
	}

	var keys []string
	for _, a := range all {
		if taken[a.Key] {
			keys = append(keys, a.Key)
		}
	}
	return keys
}

// nearest returns the array with a name that is in a group or next around it, or nil.
func nearest(all []Array, group, name string) (found *Array) {
	for i := range all {
		a := &all[i]
		if a.Name == name && within(group, a.group()) && (found == nil || len(a.group()) > len(found.group())) {
			found = a
		}
	}
	return found
}
