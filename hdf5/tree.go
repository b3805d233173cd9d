package hdf5

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
)

// A tree is the groups and datasets of a file by their hard links, and by external links if these
// are followed. An object with several links is at the first one that a visit of all groups in
// depth meets, so that links in circles end.
type tree struct {
	keys     []string
	children map[string][]string // of groups, by key with a slash at its end
	at       map[spot]string     // the key of an address
	followed int                 // links
	bytes    int64               // of keys
}

// A spot is a place as a key of maps: files are kept for some time only.
type spot struct {
	path string // of the file; "" if only one is read
	at   int64
}

func (p place) spot() spot { return spot{p.file.path, p.at} }

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
	g := &growing{File: f, tree: &tree{children: map[string][]string{}, at: map[spot]string{}}}
	if _, err := g.visit(ctx, "/", f.root()); err != nil {
		return nil, err
	}
	slices.Sort(g.keys)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tree = g.tree
	return f.tree, nil
}

// growing is a tree that is being built.
type growing struct {
	*File
	*tree
}

// visit adds an object, and what is below it if it is a group. It reports whether the object is
// listed.
func (g *growing) visit(ctx context.Context, key string, at place) (listed bool, err error) {
	g.at[at.spot()] = key
	o, err := at.file.object(ctx, at.at)
	switch {
	case err != nil && (key == "/" || ctx.Err() != nil):
		return false, fmt.Errorf("%q: %w", key, err)
	case err != nil: // found again by who opens it
		return true, g.add(key)
	case !o.header.IsGroup() && !o.header.IsDataset():
		return false, nil
	}
	if err := g.add(key); err != nil {
		return false, err
	}
	if g.followed += len(o.links); g.followed > mostFollowed {
		return false, fmt.Errorf("more than %d links: %w", mostFollowed, cairn.ErrLimit)
	}
	return true, g.visitLinks(ctx, key, at, o.links)
}

// visitLinks visits the links of a group in the order of their names, as h5py does, and lists the
// children in the order of the links.
func (g *growing) visitLinks(ctx context.Context, key string, group place, links []format.Link) error {
	byName := slices.Clone(links)
	slices.SortFunc(byName, func(a, b format.Link) int { return strings.Compare(a.Name, b.Name) })
	listed := map[string]bool{}
	key = strings.TrimSuffix(key, "/")
	for i, l := range byName {
		if i%prefetched == 0 {
			g.prefetch(ctx, group.file, byName[i:min(len(byName), i+prefetched)])
		}
		at, ok := g.leadsTo(ctx, group, &l)
		if _, twice := g.at[at.spot()]; !ok || twice || !reachable(l.Name) {
			continue
		}
		var err error
		if listed[l.Name], err = g.visit(ctx, key+"/"+l.Name, at); err != nil {
			return err
		}
	}
	var children []string
	for _, l := range links {
		if listed[l.Name] {
			children = append(children, key+"/"+l.Name)
		}
	}
	if children != nil {
		g.children[key+"/"] = children
	}
	return nil
}

// leadsTo returns the place of what a link adds to the tree, and false if that is nothing.
func (g *growing) leadsTo(ctx context.Context, group place, l *format.Link) (place, bool) {
	if l.Kind == format.Hard {
		return place{group.file, l.Address}, true
	}
	if l.Kind != format.External || g.others == nil {
		return place{g.File, format.None}, false
	}
	budget := mostFollowedLinks
	at, err := group.step(ctx, l, &budget)
	if err != nil { // Find says why
		return place{g.File, format.None}, false
	}
	return at, true
}

// prefetched is how many headers of a far file are loaded together.
const prefetched = 64

func (g *growing) prefetch(ctx context.Context, in *File, links []format.Link) {
	var addresses []int64
	for _, l := range links {
		if _, known := g.at[place{in, l.Address}.spot()]; !known && l.Kind == format.Hard {
			addresses = append(addresses, l.Address)
		}
	}
	in.format.In(ctx).Prefetch(addresses)
}

// reachable reports whether a path may have a name.
func reachable(name string) bool { return name != "." && !strings.Contains(name, "/") }

// add appends a key.
func (g *growing) add(key string) error {
	most := g.format.Limits.MaxMeta
	g.bytes += int64(len(key))
	switch {
	case len(g.keys) == mostNodes:
		return fmt.Errorf("more than %d groups and datasets: %w", mostNodes, cairn.ErrLimit)
	case g.bytes > most:
		return fmt.Errorf("keys of more than %d bytes: %w", most, cairn.ErrLimit)
	case strings.Count(key, "/") > mostDepth:
		return fmt.Errorf("groups nested more than %d deep: %w", mostDepth, cairn.ErrLimit)
	}
	g.keys = append(g.keys, key)
	return nil
}

// Keys returns the keys of all groups and datasets, sorted; the root is "/". An object with several
// hard links has the key by which h5py visits it: that of the first one, with all that is in a
// group before the next link of the group that it is in. Soft links and committed datatypes have
// none, nor have links into other files, unless OpenOptions.Links allows them and the file is
// there. Objects that cannot be read are included.
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
	key, err := f.Find(ctx, group)
	if err != nil {
		return nil, err
	}
	t, err := f.wholeTree(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(t.children[strings.TrimSuffix(key, "/")+"/"]), nil
}

// Find returns the key, of those that Keys returns, of the object at a path that leads to it by
// links of any kind.
func (f *File) Find(ctx context.Context, path string) (key string, err error) {
	clean, in, o, err := f.find(ctx, path)
	if err != nil {
		return "", err
	}
	t, err := f.wholeTree(ctx)
	if err != nil {
		return "", err
	}
	key, ok := t.at[place{in, o.header.Address}.spot()]
	if !ok {
		return "", fmt.Errorf("%q: no key leads there: %w", clean, cairn.ErrNotFound)
	}
	return key, nil
}

// IsGroup reports whether there is a group of that key.
func (f *File) IsGroup(ctx context.Context, key string) bool {
	_, _, o, err := f.find(ctx, key)
	return err == nil && o.header.IsGroup()
}

// resolve returns the key of the object at an address.
func (f *File) resolve(ctx context.Context, at int64) (string, error) {
	t, err := f.wholeTree(ctx)
	if err != nil {
		return "", err
	}
	key, ok := t.at[place{f, at}.spot()]
	if !ok {
		return "", fmt.Errorf("no object at address %d: %w", at, cairn.ErrNotFound)
	}
	return key, nil
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
	clean, _, o, err := f.find(ctx, group)
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
