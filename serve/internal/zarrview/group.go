package zarrview

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/zarr"
)

// Metadata of a group has that of its members, unless they are more.
const (
	mostMembers = 1000
	groupDepth  = 8
	groupMemory = 16 << 20 // bytes that making it may take
)

// groupDocument returns a document of a folder, tree or group.
func (h *Handler) groupDocument(ctx context.Context, node, name string) ([]byte, error) {
	e, err := h.catalog.Stat(ctx, node)
	if err != nil {
		return nil, err
	}
	if !isGroup(e.Kind) {
		return nil, notFound(node + "/" + name)
	}

	g := &zarr.GroupView{}
	own, err := h.attributes(ctx, node, e.Kind)
	if err != nil {
		return nil, err
	}

	if name == "zarr.json" || name == ".zmetadata" {
		release, err := h.limits.Memory.Take(ctx, groupMemory)
		if err != nil {
			return nil, err
		}
		defer release()
		if g, err = h.group(ctx, node); err != nil {
			return nil, err
		}
	}

	g.Attributes = own
	doc, err := g.Document(name)
	if errors.Is(err, cairn.ErrNotFound) {
		err = notFound(node + "/" + name)
	}
	return doc, err
}

// attributes returns the attributes of a tree or a group in one; folders have none.
func (h *Handler) attributes(ctx context.Context, path string, k described.Kind) (meta.Map, error) {
	if k == described.FolderKind {
		return nil, nil
	}
	return h.catalog.Attributes(ctx, path)
}

func isGroup(k described.Kind) bool {
	return k == described.FolderKind || k == described.TreeKind || k == described.GroupKind || k == described.TableKind
}

// A member is an entry below a group.
type member struct {
	path  string // in the group
	entry described.Entry
}

// group returns a group with all its members.
func (h *Handler) group(ctx context.Context, node string) (*zarr.GroupView, error) {
	g := &zarr.GroupView{}
	level := []member{{entry: described.Entry{Path: node}}}
	for depth := 0; len(level) > 0; depth++ {
		var next []member
		for _, m := range level {
			all, more, err := h.members(ctx, m)
			if err != nil {
				return nil, err
			}
			if more || depth == groupDepth || len(g.Members)+len(all) > mostMembers {
				return &zarr.GroupView{Loose: true}, nil
			}

			below, err := h.add(ctx, g, all)
			if err != nil {
				return nil, err
			}

			next = append(next, below...)
		}

		level = next
	}
	return g, nil
}

// members returns what is in a group, under the names that it has there.
func (h *Handler) members(ctx context.Context, of member) (all []member, more bool, err error) {
	entries, more, err := h.catalog.List(ctx, of.entry.Path, "", mostMembers)
	if err != nil {
		return nil, false, err
	}

	taken := map[string]int{}
	for _, e := range entries {
		taken[e.Name]++
		if short := shortName(e); short != e.Name {
			taken[short]++
		}
	}

	for _, e := range entries {
		name := shortName(e)
		if taken[name] > 1 {
			name = e.Name
		}
		if e.Kind == described.ArrayKind || isGroup(e.Kind) {
			all = append(all, member{path.Join(of.path, name), e})
		}
	}
	return all, more, nil
}

// shortName returns the name of an entry, without the extension if it is the file of an array.
func shortName(e described.Entry) string {
	if extension := path.Ext(e.Name); e.Kind == described.ArrayKind && slices.Contains(extensions(), extension) {
		if short := strings.TrimSuffix(e.Name, extension); short != "" {
			return short
		}
	}
	return e.Name
}

// add adds the members of one group to a group, and returns those that are groups. Arrays that
// cannot be opened, or that Zarr has no dtype for, are left out.
func (h *Handler) add(ctx context.Context, g *zarr.GroupView, all []member) (groups []member, err error) {
	sizes := dimensions{}
	for pass := range 2 { // coordinates first: they have the names of their dimensions by right
		for _, m := range all {
			if isGroup(m.entry.Kind) {
				if pass == 0 {
					attributes, err := h.attributes(ctx, m.entry.Path, m.entry.Kind)
					if err != nil && ctx.Err() != nil {
						return nil, ctx.Err()
					}
					g.Members = append(g.Members, zarr.Member{Path: m.path, Attributes: attributes})
					groups = append(groups, m)
				}
				continue
			}

			a, err := h.catalog.Array(ctx, m.entry.Path)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				continue
			}

			dims := dimsOf(a)
			own := len(dims) == 1 && dims[0] == path.Base(m.path)
			if own != (pass == 0) {
				a.Release()
				continue
			}

			v, err := newView(ctx, a, sizes.agree(path.Base(m.path), dims, a.Shape()))
			a.Release()
			if err != nil {
				continue
			}
			g.Members = append(g.Members, zarr.Member{Path: m.path, Array: v})
		}
	}
	return groups, ctx.Err()
}

// newView returns a view of an array with names of its dimensions.
func newView(ctx context.Context, a *catalog.Array, dims []string) (*zarr.View, error) {
	src := a.Source
	switch {
	case a.Blosc2 != nil:
		src = a.Blosc2
	case a.Zarr != nil:
		src = a.Zarr
	}
	return zarr.NewView(ctx, src, &ndarray.Labels{Dims: dims, Attributes: a.Labels.Attributes})
}

// dimsOf returns names of the dimensions, all different, as xarray needs them: one without a name
// has that of the array and a number.
func dimsOf(a *catalog.Array) []string {
	base := shortName(described.Entry{Name: path.Base(a.Path), Kind: described.ArrayKind})
	dims := make([]string, len(a.Shape()))
	for i := range dims {
		if len(a.Labels.Dims) == len(dims) {
			dims[i] = a.Labels.Dims[i]
		}
		if dims[i] == "" || slices.Contains(dims[:i], dims[i]) || len(dims) > 1 && dims[i] == base {
			dims[i] = fmt.Sprintf("%s_%d", base, i)
		}
	}
	return dims
}

// dimensions are the sizes of dimensions in a group, by name.
type dimensions map[string]int64

// agree returns names of the dimensions of an array that no other array of the group has with
// another size, which xarray would refuse.
func (d dimensions) agree(array string, dims []string, shape []int64) []string {
	for i, name := range dims {
		if size, ok := d[name]; ok && size != shape[i] {
			dims[i] = array + "_" + name
		}
		d[dims[i]] = shape[i]
	}
	return dims
}

// index answers with links to what is in a group, which is how some readers list it.
func (h *Handler) index(w http.ResponseWriter, r *http.Request, node string) error {
	e, err := h.catalog.Stat(r.Context(), node)
	if err != nil {
		return err
	}
	if !isGroup(e.Kind) {
		return notFound(node)
	}

	all, _, err := h.members(r.Context(), member{entry: described.Entry{Path: node}})
	if err != nil {
		return err
	}

	var b strings.Builder
	b.WriteString("<!doctype html><title>Zarr group</title>\n<a href=\"zarr.json\">zarr.json</a>\n")
	for _, m := range all {
		link := url.PathEscape(m.path) + "/"
		if strings.Contains(m.path, ":") {
			link = "./" + link
		}
		fmt.Fprintf(&b, "<a href=\"%s\">%s</a>\n", html.EscapeString(link), html.EscapeString(m.path))
	}

	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = w.Write([]byte(b.String()))
	return err
}
