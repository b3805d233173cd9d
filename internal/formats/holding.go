package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/store"
)

// A Holding is what an input holds: one array, or a tree of them, listed when it was opened.
// Several goroutines may use it.
type Holding struct {
	ndarray.Tree
	closer       io.Closer // of what the tree is read from, or nil
	keys, groups []string
	links        []ndarray.Node
	recorded     string // see Record
}

// hardLink is what a further name of an object of HDF5 is.
var hardLink = hdf5.HardLink.String()

// Hold opens an input of this format, and lists it. Where nothing can be listed, in.Key says which
// array is wanted.
func (f *Format) Hold(ctx context.Context, in *Input) (*Holding, error) {
	t, err := f.Open(ctx, in)
	return f.listed(ctx, in, t, err)
}

// Hold opens an input that was looked at as what it is, and lists it.
func Hold(ctx context.Context, in *Input, p *Probe) (*Holding, Format, error) {
	t, f, err := Open(ctx, in, p)
	h, err := f.listed(ctx, in, t, err)
	return h, f, err
}

// listed lists a tree of this format, which has been opened unless there was an error. After an
// error it closes everything.
func (f *Format) listed(ctx context.Context, in *Input, t ndarray.Tree, opened error) (*Holding, error) {
	closer := in.Closer
	// What has no path is read from the file itself.
	if closer != nil && (f.ByPath && in.Path != "" || opened != nil) {
		opened = errors.Join(opened, closer.Close())
		closer = nil
	}

	if opened != nil {
		if t != nil {
			opened = errors.Join(opened, t.Close())
		}
		return nil, opened
	}

	if s, ok := t.(*store.Store); ok {
		h := OfStore(ctx, s)
		h.closer = closer
		return h, nil
	}

	h := &Holding{Tree: t, closer: closer}
	err := h.list(ctx, in.Limits.WithDefaults().MaxNodes)
	if errors.Is(err, errors.ErrUnsupported) && in.Key != "" {
		h.keys, err = near(ctx, t, in.Key, err)
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	if !f.Groups {
		h.groups = nil
	}
	return h, nil
}

// OfStore returns what a store holds. Its keys begin with slashes, and are those of all leaves,
// also of those that are no arrays.
func OfStore(ctx context.Context, s *store.Store) *Holding {
	h := &Holding{Tree: s, groups: Groups(ctx, s)}
	for l := range s.Leaves() {
		h.keys = append(h.keys, l.Key)
	}
	return h
}

// Record makes the attributes of the root have a line of history, for what is written of it.
func (h *Holding) Record(line string) { h.recorded = line }

// Attributes returns the attributes of an array or group.
func (h *Holding) Attributes(ctx context.Context, key string) (meta.Map, error) {
	attributes, err := h.Tree.Attributes(ctx, key)
	if h.recorded != "" && err == nil && Key(key) == "/" {
		attributes = cf.Recorded(attributes, h.recorded)
	}
	return attributes, err
}

// Store returns the store that a holding is, or nil.
func (h *Holding) Store() *store.Store {
	s, _ := h.Tree.(*store.Store)
	return s
}

// Close closes the tree, and what it is read from.
func (h *Holding) Close() error {
	err := h.Tree.Close()
	if h.closer != nil {
		err = errors.Join(err, h.closer.Close())
	}
	return err
}

// Frame returns the frame that a file is if that holds no array, or nil.
func (h *Holding) Frame() *frame.Frame {
	t, _ := h.Tree.(plainTree)
	return t.frame
}

// list notes what is in the tree, up to so many groups, arrays and links.
func (h *Holding) list(ctx context.Context, most int64) error {
	h.groups = []string{"/"}
	for n, err := range ndarray.Walk(ctx, h.Tree, "/") {
		if err != nil {
			return err
		}
		if int64(len(h.keys)+len(h.groups)+len(h.links)) > most {
			return fmt.Errorf("more than %d arrays and groups (Limits.MaxNodes): %w", most, cairn.ErrLimit)
		}

		switch n.Kind {
		case ndarray.GroupNode:
			h.groups = append(h.groups, n.Key)
			if n.Err == nil {
				continue
			}
		case ndarray.LinkNode:
			h.links = append(h.links, n)
			continue
		case ndarray.OtherNode:
			continue
		}

		h.keys = append(h.keys, strings.Trim(n.Key, "/")) // opening it says what is damaged
	}

	// Another name of something that is no array, such as a datatype, is of no use.
	known := map[string]bool{}
	for _, key := range slices.Concat(h.keys, h.groups) {
		known["/"+strings.Trim(key, "/")] = true
	}

	h.links = slices.DeleteFunc(h.links, func(l ndarray.Node) bool { return l.What == hardLink && !known[l.To] })
	return nil
}

// near returns the keys of an array of a tree that cannot be listed, and of its coordinates. If
// there is no such array, the error is the one given.
func near(ctx context.Context, t ndarray.Tree, key string, failed error) (keys []string, err error) {
	key = path.Join("/", key)
	src, err := t.Open(ctx, key)
	if errors.Is(err, cairn.ErrNotFound) {
		return nil, fmt.Errorf("there is no array %q, and %w", key, failed)
	}
	if err != nil {
		return nil, err
	}

	keys = []string{strings.Trim(key, "/")}
	labelled, ok := src.(ndarray.Labelled)
	if !ok {
		return keys, nil
	}

	l, err := labelled.Labels()
	for _, name := range l.Dims {
		at := strings.Trim(path.Join(path.Dir(key), name), "/")
		if name == "" || strings.Contains(name, "/") || slices.Contains(keys, at) {
			continue
		}
		if _, err := t.Open(ctx, at); err != nil {
			continue
		}
		keys = append(keys, at)
	}
	return keys, err
}

// Keys returns the keys of the arrays, without slashes at their ends; an empty one for a file that
// is an array.
func (h *Holding) Keys() []string { return h.keys }

// Groups returns the keys of the groups, the first of which is "/"; nil for formats whose groups
// have no attributes.
func (h *Holding) Groups() []string { return h.groups }

// Links returns the links, in the order of their keys within each group.
func (h *Holding) Links() []ndarray.Node { return h.links }

// Find returns the key of what a path leads to by links, with a slash before each element.
func (h *Holding) Find(ctx context.Context, path string) (key string, err error) {
	of, ok := h.Tree.(interface {
		Find(ctx context.Context, path string) (key string, err error)
	})
	if !ok {
		return "", fmt.Errorf("%q: %w", path, cairn.ErrNotFound)
	}
	return of.Find(ctx, path)
}

// Is describes what a file of the format is.
func (h *Holding) Is(f *Format) string {
	if n, ok := h.Tree.(*netcdf.File); ok {
		return fmt.Sprintf("a NetCDF file (%v)", n.Format())
	}
	return f.Is
}

// Truncated returns why the end of a file is missing whose beginning can be read, or nil.
func (h *Holding) Truncated() error {
	if n, ok := h.Tree.(*netcdf.File); ok {
		return n.Truncated()
	}
	return nil
}

// Header returns what a file of some name holds as the tools of its format write it; "" if there
// are no such tools.
func (h *Holding) Header(name string) string {
	var b strings.Builder
	if n, ok := h.Tree.(*netcdf.File); ok {
		_ = n.Header(&b, name) // a builder takes everything
	}
	return b.String()
}

// Groups returns the keys of the groups of a tree, as far as they can be listed; the first is "/".
func Groups(ctx context.Context, t ndarray.Tree) []string {
	groups := []string{"/"}
	for n, err := range ndarray.Walk(ctx, t, "/") {
		if err == nil && n.Kind == ndarray.GroupNode {
			groups = append(groups, n.Key)
		}
	}
	return groups
}

// IsGroup reports whether a tree has a group of a key.
func IsGroup(ctx context.Context, t ndarray.Tree, key string) bool {
	key = "/" + strings.Trim(key, "/")
	nodes, err := t.Children(ctx, key)
	return err == nil && (len(nodes) != 1 || nodes[0].Key != key)
}

// Says describes where a link leads.
func Says(l *ndarray.Node) string {
	switch {
	case l.File != "":
		return l.What + " to " + l.Target + " in " + l.File
	case l.Target != "":
		return l.What + " to " + l.Target
	case l.To != "":
		return l.What + " to " + l.To
	}
	return l.What
}

// Throughout returns the paths of the arrays below a link to a group, by the keys of all arrays.
func Throughout(l *ndarray.Node, keys []string) (paths []string) {
	for _, key := range keys {
		if rest, ok := strings.CutPrefix(path.Join("/", key), strings.TrimSuffix(l.To, "/")+"/"); ok {
			paths = append(paths, strings.Trim(l.Key+"/"+rest, "/"))
		}
	}
	return paths
}
