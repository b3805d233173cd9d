package hdf5

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/ndarray"
)

// A tree is the groups and datasets of a file by their hard links, and by external links if these
// are followed. An object with several links is at the first one that a visit of all groups in
// depth meets, so that links in circles end.
type tree struct {
	children map[string][]child // of groups, by key with a slash at its end, sorted by key
	at       map[spot]string    // the key of an address
	count    int                // groups and datasets
	followed int                // links of a file that are followed
	bytes    int64              // of keys
}

// A child is what has its key in a group.
type child struct {
	key  string
	kind ndarray.NodeKind // 0 for one that is not listed
}

// A spot is a place as a key of maps: files are kept for some time only.
type spot struct {
	path string // of the file; "" if only one is read
	at   int64
}

func (p place) spot() spot { return spot{p.file.path, p.at} }

// Bounds of trees.
const (
	mostFollowed = 1 << 22 // links that are followed for a tree
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

	g := &growing{File: f, tree: &tree{children: map[string][]child{}, at: map[spot]string{}}}
	if _, err := g.visit(ctx, "/", f.root()); err != nil {
		return nil, err
	}

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

// visit adds an object, and what is below it if it is a group. It returns what the object is, or 0
// if it is not listed.
func (g *growing) visit(ctx context.Context, key string, at place) (kind ndarray.NodeKind, err error) {
	g.at[at.spot()] = key
	o, err := at.file.object(ctx, at.at)
	switch {
	case err != nil && (key == "/" || ctx.Err() != nil):
		return 0, fmt.Errorf("%q: %w", key, err)
	case err != nil: // found again by who opens it
		return ndarray.DamagedNode, g.add(key)
	case !o.header.IsGroup() && !o.header.IsDataset():
		return 0, nil
	}

	if err := g.add(key); err != nil {
		return 0, err
	}

	g.followed += len(o.links)
	if g.followed > mostFollowed {
		return 0, fmt.Errorf("more than %d links: %w", mostFollowed, cairn.ErrLimit)
	}
	if !o.header.IsGroup() {
		return kindOf(at.file.checkDataset(ctx, key, o)), ctx.Err()
	}
	return ndarray.GroupNode, g.visitLinks(ctx, key, at, o.links)
}

// kindOf returns the kind of a dataset that cannot be read for a reason, or can be.
func kindOf(err error) ndarray.NodeKind {
	if err != nil {
		return ndarray.DamagedNode
	}
	return ndarray.ArrayNode
}

// visitLinks visits the links of a group in the order of their names, as h5py does.
func (g *growing) visitLinks(ctx context.Context, key string, group place, links []format.Link) error {
	byName := sortedLinks(links)
	var children []child
	key = strings.TrimSuffix(key, "/")

	for i, l := range byName {
		if i%prefetched == 0 {
			g.prefetch(ctx, group.file, byName[i:min(len(byName), i+prefetched)])
		}
		at, ok := g.leadsTo(ctx, group, &l)
		if _, twice := g.at[at.spot()]; !ok || twice || !reachable(l.Name) {
			continue
		}

		c := child{key: key + "/" + l.Name}
		var err error
		if c.kind, err = g.visit(ctx, c.key, at); err != nil {
			return err
		}
		if c.kind != 0 {
			children = append(children, c)
		}
	}
	if children != nil {
		g.children[key+"/"] = children
	}
	return nil
}

// sortedLinks returns links in the order of their names.
func sortedLinks(links []format.Link) []format.Link {
	byName := slices.Clone(links)
	sort.Slice(byName, func(i, j int) bool { return byName[i].Name < byName[j].Name })
	return byName
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

// add counts a key.
func (g *growing) add(key string) error {
	l := &g.format.Limits
	g.bytes += int64(len(key))
	switch {
	case int64(g.count) == l.MaxNodes:
		return fmt.Errorf("more than %d groups and datasets (Limits.MaxNodes): %w", l.MaxNodes, cairn.ErrLimit)
	case g.bytes > l.MaxMeta:
		return fmt.Errorf("keys of more than %d bytes (Limits.MaxMeta): %w", l.MaxMeta, cairn.ErrLimit)
	case strings.Count(key, "/") > mostDepth:
		return fmt.Errorf("groups nested more than %d deep: %w", mostDepth, cairn.ErrLimit)
	}

	g.count++
	return nil
}

// Children returns what is in a group, as an [ndarray.Tree] does. An object with several hard links
// has the key by which h5py visits it: that of the first one, with all that is in a group before
// the next link of the group that it is in. Other hard links to it are link nodes, as are soft
// links, and links into other files, unless OpenOptions.Links allows them and the file is there.
// Datatypes are other nodes, and datasets whose headers say that they cannot be read damaged ones,
// with the reason. Of a group that is named by links, the keys are those of its members.
func (f *File) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	clean, in, o, err := f.find(ctx, group)
	if err != nil {
		return nil, err
	}
	if o.header.IsDataset() {
		err := in.checkDataset(ctx, clean, o)
		return []ndarray.Node{{Key: clean, Kind: kindOf(err), Err: err}}, ctx.Err()
	}
	if !o.header.IsGroup() {
		return []ndarray.Node{{Key: clean, Kind: ndarray.OtherNode, What: committed}}, nil
	}

	t, err := f.wholeTree(ctx)
	if err != nil {
		return nil, err
	}

	key, ok := t.at[place{in, o.header.Address}.spot()]
	if !ok {
		return nil, fmt.Errorf("%q: no key leads there: %w", clean, cairn.ErrNotFound)
	}

	key = strings.TrimSuffix(key, "/") + "/"
	children := t.children[key]

	var nodes []ndarray.Node
	for _, l := range sortedLinks(o.links) {
		n := ndarray.Node{Key: key + l.Name}
		if len(children) > 0 && children[0].key == n.Key {
			n.Kind = children[0].kind
			children = children[1:]
			if n.Kind == ndarray.DamagedNode {
				f.explain(ctx, &n)
			}
		} else {
			f.asLink(ctx, t, place{in, l.Address}, &l, &n)
		}
		nodes = append(nodes, n)
	}
	return nodes, ctx.Err()
}

// explain notes why a node cannot be read, unless that was due to what the file is read from.
func (f *File) explain(ctx context.Context, n *ndarray.Node) {
	_, in, o, err := f.find(ctx, n.Key)
	switch {
	case err != nil:
		n.Err = err
	case o.header.IsGroup():
		n.Kind = ndarray.GroupNode
	default:
		n.Err = in.checkDataset(ctx, n.Key, o)
		n.Kind = kindOf(n.Err)
	}
}

// What committed datatypes are, as nodes.
const committed = "committed datatype"

// asLink makes a node of a link to what has its key elsewhere, or is neither a group nor a dataset.
func (f *File) asLink(ctx context.Context, t *tree, at place, l *format.Link, n *ndarray.Node) {
	if l.Kind == format.Hard && t.at[at.spot()] == n.Key {
		n.Kind = ndarray.OtherNode
		n.What = committed
		return
	}
	n.Kind = ndarray.LinkNode
	n.What = LinkKind(l.Kind).String()
	n.Target = l.Target
	n.File = l.File
	n.To, n.Err = f.Find(ctx, n.Key)
}

// Find returns the key, of those of [File.Children], of the object at a path that leads to it by
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

// Links returns all links of a group: in the order of their creation where the file has recorded
// it, else sorted.
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
