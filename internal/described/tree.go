package described

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// A Tree is the description of a file with several arrays, of a group in one, or of a folder.
type Tree struct {
	Entry
	Attributes map[string]any `json:"attributes,omitempty"`
	Only       string         `json:"only,omitempty"` // the path of the only array that is data
	Groups     []Group        `json:"groups,omitempty"`
	Arrays     []Array        `json:"arrays,omitzero"`
	Links      []Link         `json:"links,omitempty"`
	Convert    string         `json:"convert,omitempty"` // the command that makes it a store
}

// A Group is a group of a tree.
type Group struct {
	Key        string         `json:"key"`
	Kind       Kind           `json:"kind"` // GroupKind or TableKind
	Attributes map[string]any `json:"attributes,omitempty"`
	Rows       *int64         `json:"rows,omitempty"` // of a table
	Columns    []Column       `json:"columns,omitempty"`
	Fault      string         `json:"fault,omitempty"`
}

// A Column is a column of a table.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`     // as the table's schema calls it
	Encoding string `json:"encoding"` // "plain", "text", "dictionary" or "batches"
	DType    string `json:"dtype,omitempty"`
	Nulls    string `json:"nulls,omitempty"`
	Leaf     string `json:"leaf"` // the key of the array that has the rows
}

// A Link is a name in a tree for something that has another name too, or is elsewhere.
type Link struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`             // such as "soft link"
	Target string `json:"target,omitempty"` // of a soft or an external link: a path
	File   string `json:"file,omitempty"`   // of an external link
	To     string `json:"to,omitempty"`     // the key of what it leads to; "" if there is none
	Says   string `json:"-"`
}

// OfTree describes what a file holds below a group: those arrays that have some keys, which some
// workers open. What cannot be read is told as such. Of arrays that are not to be opened, only the
// key is told.
func OfTree(ctx context.Context, h *formats.Holding, group string, keys []string, workers int,
	opened []bool) (*Tree, error) {
	t := &Tree{Entry: Entry{Kind: TreeKind}, Arrays: []Array{}}
	objects, err := t.setKind(h, group)
	if err != nil {
		return nil, err
	}

	// an address of a tree is an object without leaves
	groups := slices.Concat(h.Groups(), slices.Collect(maps.Keys(objects)))
	slices.Sort(groups)
	for _, key := range slices.Compact(groups) {
		if !Below(key, group) {
			continue
		}

		g := Group{Key: key, Kind: GroupKind}
		switch kind, ok := objects[key]; {
		case ok && kind == store.Table:
			g.Kind = TableKind
			g.addTable(ctx, h.Store())
		case ok:
			g.Kind = Kind(kind.String())
		}

		attributes, err := h.Attributes(ctx, key)
		g.Attributes = Attributes(attributes)
		if err != nil {
			return nil, err
		}
		t.Groups = append(t.Groups, g)
	}

	t.Arrays = make([]Array, len(keys))
	err = parallel.For(ctx, workers, len(keys), func(_, i int) error {
		if opened[i] {
			t.Arrays[i] = *InTree(ctx, h, keys[i], nil)
		} else {
			t.Arrays[i].Key = formats.Key(keys[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	for _, l := range h.Links() {
		if Below(l.Key, group) {
			t.Links = append(t.Links, LinkOf(&l))
		}
	}
	return t, nil
}

// LinkOf describes a link.
func LinkOf(l *ndarray.Node) Link {
	return Link{Key: l.Key, Kind: l.What, Target: l.Target, File: l.File, To: l.To, Says: formats.Says(l)}
}

// setKind notes what a tree is, or a group of it, and returns the objects of a store.
func (t *Tree) setKind(h *formats.Holding, group string) (objects map[string]store.Kind, err error) {
	if key := formats.Key(group); key != "/" {
		t.Kind = GroupKind
		t.Key = key
	}

	s := h.Store()
	if s == nil {
		return nil, nil
	}

	kind, err := s.Kind("/")
	if err != nil {
		return nil, err
	}

	t.Container = kind.String()
	if objects, err = s.Objects(); objects[t.Key] == store.Table {
		t.Kind = TableKind
	}
	return objects, err
}

// Below reports whether a key is that of a group, or of something in it.
func Below(key, group string) bool {
	return strings.HasPrefix(formats.Key(key)+"/", strings.TrimSuffix(formats.Key(group), "/")+"/")
}

// addTable adds the columns of a table.
func (g *Group) addTable(ctx context.Context, s *store.Store) {
	t, err := s.Table(ctx, g.Key)
	if err != nil {
		g.Fault = err.Error()
		return
	}

	g.Rows = &t.Rows
	for _, c := range t.Columns {
		d := Column{Name: c.Name, Type: c.Type, Encoding: string(c.Encoding), DType: c.DType, Leaf: c.Leaf}
		if c.Nullable != store.NoNulls {
			d.Nulls = string(c.Nullable)
		}
		g.Columns = append(g.Columns, d)
	}
}

// InTree describes an array of a tree, or a leaf of a store that is none. More adds to what is told
// of an open array, or is nil.
func InTree(ctx context.Context, h *formats.Holding, key string, more func(a *Array, src ndarray.Source)) *Array {
	s := h.Store()
	var leaf store.Leaf
	var err error
	if s != nil {
		leaf, err = s.Leaf(key)
	}

	a := &Array{Entry: Entry{Kind: FrameKind}}
	switch {
	case err != nil:
	case leaf.URL != "":
		a.Container = store.Remote.String()
	default:
		err = a.open(ctx, h, key, more)
	}

	if err != nil {
		a.Kind = Unreadable
		a.Fault = err.Error()
	}

	a.Key = ""
	if key = formats.Key(key); key != "/" {
		a.Key = key
	}

	a.FileBytes = leaf.Size
	a.Embedded = leaf.Embedded
	a.URL = leaf.URL
	return a
}

// open describes an array of a tree by opening it once, unless it is no array.
func (a *Array) open(ctx context.Context, h *formats.Holding, key string,
	more func(a *Array, src ndarray.Source)) error {
	s := h.Store()
	src, err := h.Open(ctx, key)
	switch {
	case s != nil && errors.Is(err, cairn.ErrNotFound): // it is no array
		kind, err := s.Kind(key)
		a.Container = kind.String()
		return err
	case err != nil:
		return err
	}

	*a = *Of(ctx, src)
	if more != nil {
		more(a, src)
	}
	if s != nil {
		err = a.addKind(s, key, src)
	}
	if c, ok := src.(io.Closer); ok {
		_ = c.Close()
	}
	return err
}

// addKind adds what an array of a store is for python-blosc2, and what it stands for.
func (a *Array) addKind(s *store.Store, key string, src ndarray.Source) error {
	u, ok := src.(*ndarray.Untyped)
	if !ok {
		return nil
	}

	kind, err := store.KindOf(u.Frame())
	if err != nil {
		return err
	}

	a.Container = kind.String()
	if kind == store.Lazy || kind == store.Reference || kind == store.Proxy {
		a.Note, err = noteOf(s, key)
	}
	return err
}

// noteOf returns what an array stands for: an expression, or where the items are.
func noteOf(s *store.Store, key string) (string, error) {
	f, err := s.Frame(key)
	if err != nil {
		return "", err
	}
	defer f.Close()

	for _, read := range []func() ([]byte, error){
		func() ([]byte, error) { return f.VL("b2o") }, func() ([]byte, error) { return f.VL("_LazyArray") },
		func() ([]byte, error) { return f.Layer("proxy-source") },
	} {
		raw, err := read()
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}

		v, _ := meta.Unpack(raw) // an unreadable note is no fault
		m, _ := v.(meta.Map)
		if source, ok := m.Get("source"); ok { // of a remote array
			m, _ = source.(meta.Map)
		}

		for _, name := range []string{"expression", "udf_source", "name", "urlpath", "local_abspath", "path"} {
			if text, _ := m.Get(name); text != nil {
				return fmt.Sprint(text), nil
			}
		}
	}
	return "", nil
}
