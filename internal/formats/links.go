package formats

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
)

// A Link is a name in a file for something that has another name too, or is elsewhere.
type Link struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`             // such as "soft link"
	Target string `json:"target,omitempty"` // of a soft or an external link: a path
	File   string `json:"file,omitempty"`   // of an external link
	To     string `json:"to,omitempty"`     // the key of what it leads to; "" if there is none
	Err    error  `json:"-"`                // why it leads nowhere, or nil
}

// Says describes where a link leads.
func (l *Link) Says() string {
	switch {
	case l.File != "":
		return l.Kind + " to " + l.Target + " in " + l.File
	case l.Target != "":
		return l.Kind + " to " + l.Target
	case l.To != "":
		return l.Kind + " to " + l.To
	}
	return l.Kind
}

// A Linked holding has links beside its arrays and groups.
type Linked interface {
	Links(ctx context.Context) ([]Link, error)
	// Find returns the key of what a path leads to by links, with a slash before each element.
	Find(ctx context.Context, path string) (key string, err error)
	IsGroup(ctx context.Context, path string) bool
}

// Links returns the links of all groups that are not keys themselves, sorted by key.
func (h *hdf5Holding) Links(ctx context.Context) ([]Link, error) {
	known := map[string]bool{}
	for _, key := range h.inner {
		known[key] = true
	}
	for _, key := range h.datasets {
		known["/"+key] = true
	}

	var all []Link
	for _, group := range h.inner {
		links, err := h.File.Links(ctx, group)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			key := strings.TrimSuffix(group, "/") + "/" + l.Name
			if known[key] {
				continue
			}
			one := Link{Key: key, Kind: l.Kind.String(), Target: l.Target, File: l.File}
			one.To, one.Err = h.Find(ctx, key)
			if l.Kind == hdf5.HardLink && !known[one.To] {
				continue // of a committed datatype
			}
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Link) int { return strings.Compare(a.Key, b.Key) })
	return all, ctx.Err()
}

// Throughout returns the paths of the arrays below a link to a group, by the keys of all arrays.
func (l *Link) Throughout(keys []string) (paths []string) {
	for _, key := range keys {
		if rest, ok := strings.CutPrefix(path.Join("/", key), strings.TrimSuffix(l.To, "/")+"/"); ok {
			paths = append(paths, strings.Trim(l.Key+"/"+rest, "/"))
		}
	}
	return paths
}
