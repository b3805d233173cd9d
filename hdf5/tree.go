package hdf5

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
)

// A tree is the groups and datasets of a file by their hard links. An object with several links is
// at the first one, so that links in circles end.
type tree struct {
	keys     []string
	children map[string][]string // of groups
	at       map[int64]string    // the key of an address
	followed int                 // links
	bytes    int64               // of keys
}

// Bounds of trees.
const (
	mostNodes    = 1 << 20
	mostFollowed = 1 << 22 // links
	mostDepth    = 256     // groups in groups
)

// wholeTree returns the tree, which it builds when it is first needed.
func (f *File) wholeTree(ctx context.Context) (*tree, error) {
	f.mu.Lock()
	t := f.tree
	f.mu.Unlock()
	if t != nil {
		return t, nil
	}
	t = &tree{keys: []string{"/"}, children: map[string][]string{}, at: map[int64]string{f.format.Root: "/"}}
	addresses := []int64{f.format.Root}
	for i := 0; i < len(addresses); i++ {
		o, err := f.object(ctx, addresses[i])
		if err == nil && o.header.IsGroup() {
			addresses, err = f.grow(ctx, t, t.keys[i], o, addresses)
		}
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", t.keys[i], err)
		}
	}
	slices.Sort(t.keys)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tree = t
	return t, nil
}

// grow adds the children of a group, and their addresses to those of the keys.
func (f *File) grow(ctx context.Context, t *tree, key string, group *object, addresses []int64) ([]int64, error) {
	if strings.Count(key, "/") > mostDepth {
		return nil, fmt.Errorf("groups nested more than %d deep: %w", mostDepth, cairn.ErrLimit)
	}
	if t.followed += len(group.links); t.followed > mostFollowed {
		return nil, fmt.Errorf("more than %d links: %w", mostFollowed, cairn.ErrLimit)
	}
	for _, l := range group.links {
		if l.Kind != format.Hard || strings.Contains(l.Name, "/") {
			continue
		}
		if _, twice := t.at[l.Address]; twice {
			continue
		}
		o, err := f.object(ctx, l.Address)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", l.Name, err)
		}
		if !o.header.IsGroup() && !o.header.IsDataset() {
			continue
		}
		if len(t.keys) == mostNodes {
			return nil, fmt.Errorf("more than %d groups and datasets: %w", mostNodes, cairn.ErrLimit)
		}
		child := path.Join(key, l.Name)
		if t.bytes += int64(len(child)); t.bytes > f.format.Limits.MaxMeta {
			return nil, fmt.Errorf("keys of more than %d bytes: %w", f.format.Limits.MaxMeta, cairn.ErrLimit)
		}
		t.at[l.Address] = child
		t.keys, addresses = append(t.keys, child), append(addresses, l.Address)
		t.children[key] = append(t.children[key], child)
	}
	return addresses, nil
}

// Keys returns the keys of all groups and datasets, sorted; the root is "/". An object with several
// hard links has the key of the first one, those closer to the root before others. Soft links,
// links into other files and committed datatypes have none.
func (f *File) Keys(ctx context.Context) ([]string, error) {
	t, err := f.wholeTree(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(t.keys), nil
}

// Children returns the keys of the groups and datasets in a group, of those that Keys returns: in
// the order of their creation where the file has recorded it, else sorted. A dataset has none.
func (f *File) Children(ctx context.Context, group string) ([]string, error) {
	_, o, err := f.find(ctx, group)
	if err != nil {
		return nil, err
	}
	t, err := f.wholeTree(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(t.children[t.at[o.header.Address]]), nil
}

// IsGroup reports whether there is a group of that key.
func (f *File) IsGroup(ctx context.Context, key string) bool {
	_, o, err := f.find(ctx, key)
	return err == nil && o.header.IsGroup()
}

// A Reference is the address of an object, as items and attributes have it.
type Reference uint64

// Resolve returns the key of the object that a reference leads to, and false if there is none.
func (f *File) Resolve(ctx context.Context, ref Reference) (key string, ok bool) {
	t, err := f.wholeTree(ctx)
	if err != nil {
		return "", false
	}
	key, ok = t.at[int64(ref)]
	return key, ok
}

// A Link is an entry of a group.
type Link struct {
	Name string
	Kind LinkKind
	// Target is the path of a soft or an external link. If it begins with a slash it counts from
	// the root.
	Target string
	File   string // of an external link
}

// A LinkKind is a kind of link.
type LinkKind uint8

// The kinds of links.
const (
	HardLink     LinkKind = LinkKind(format.Hard)
	SoftLink     LinkKind = LinkKind(format.Soft)
	ExternalLink LinkKind = LinkKind(format.External)
	OtherLink    LinkKind = LinkKind(format.Foreign) // of a kind that an application has defined
)

// String returns the name of the kind.
func (k LinkKind) String() string {
	switch k {
	case HardLink:
		return "hard link"
	case SoftLink:
		return "soft link"
	case ExternalLink:
		return "external link"
	}
	return "other link"
}

// Links returns all links of a group, in the order of [File.Children].
func (f *File) Links(ctx context.Context, group string) ([]Link, error) {
	clean, o, err := f.find(ctx, group)
	if err != nil {
		return nil, err
	}
	if !o.header.IsGroup() {
		return nil, fmt.Errorf("%q is no group: %w", clean, cairn.ErrNotFound)
	}
	links := make([]Link, len(o.links))
	for i, l := range o.links {
		links[i] = Link{Name: l.Name, Kind: LinkKind(l.Kind), Target: l.Target, File: l.File}
	}
	return links, nil
}
