package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/store"
)

// tree is the description of a store; its fields are those of the JSON output.
type tree struct {
	Path   string      `json:"path"`
	Kind   string      `json:"kind"` // "tree store", "dict store" or "embed store"
	Groups []treeGroup `json:"groups"`
	Leaves []treeLeaf  `json:"leaves"`
	root   string      // the group that is shown, "/" for all
}

// treeGroup is a group of leaves.
type treeGroup struct {
	Key        string         `json:"key"`
	Kind       string         `json:"kind,omitempty"` // "table" for one that is a table
	Attributes map[string]any `json:"attributes,omitempty"`
	Rows       *int64         `json:"rows,omitempty"` // of a table
	Columns    []tableColumn  `json:"columns,omitempty"`
	Fault      string         `json:"fault,omitempty"`
}

// tableColumn is a column of a group that is a table.
type tableColumn struct {
	Name     string `json:"name"`
	Type     string `json:"type"`     // as the table's schema calls it
	Encoding string `json:"encoding"` // "plain", "text", "dictionary" or "batches"
	DType    string `json:"dtype,omitempty"`
	Nulls    string `json:"nulls,omitempty"`
	Leaf     string `json:"leaf"`
}

type treeLeaf struct {
	Key      string  `json:"key"`
	Kind     string  `json:"kind"` // "unreadable" if it cannot be opened
	Shape    []int64 `json:"shape,omitempty"`
	DType    string  `json:"dtype,omitempty"`
	Bytes    int64   `json:"bytes"` // as stored
	Embedded bool    `json:"embedded,omitempty"`
	URL      string  `json:"url,omitempty"`
	Note     string  `json:"note,omitempty"` // what it stands for
	Fault    string  `json:"fault,omitempty"`
}

// describeTree lists a store at a path, or one group of it. Leaves that cannot be read are listed
// as such.
func describeTree(ctx context.Context, s *store.Store, name, group string) (*tree, error) {
	kind, err := s.Kind("/")
	if err != nil {
		return nil, err
	}
	t := &tree{Path: name, Kind: kind.String(), Groups: []treeGroup{}, Leaves: []treeLeaf{}}
	if t.root = path.Join("/", group); t.root != "/" {
		t.Path += leafMark + t.root
	}
	objects, err := s.Objects()
	if err != nil {
		return nil, err
	}
	// an address of a tree is an object without leaves
	keys := slices.Concat(s.Groups(), slices.Collect(maps.Keys(objects)))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		if !below(key, group) {
			continue
		}
		g, err := describeGroup(ctx, s, key, objects)
		if err != nil {
			return nil, err
		}
		t.Groups = append(t.Groups, g)
	}
	for l := range s.Leaves() {
		if below(l.Key, group) {
			t.Leaves = append(t.Leaves, describeTreeLeaf(s, l))
		}
	}
	return t, nil
}

func describeGroup(ctx context.Context, s *store.Store, key string, objects map[string]store.Kind) (treeGroup, error) {
	g := treeGroup{Key: key}
	kind, ok := objects[key]
	if ok {
		g.Kind = kind.String()
	}
	if ok && kind == store.Table {
		t, err := s.Table(ctx, key)
		if err != nil {
			g.Fault = oneLine(err.Error())
		} else {
			g.Rows = &t.Rows
			for i := range t.Columns {
				g.Columns = append(g.Columns, describeColumn(&t.Columns[i]))
			}
		}
	}
	attributes, err := s.Attributes(key)
	if len(attributes) > 0 {
		g.Attributes, _ = jsonValue(attributes).(map[string]any)
	}
	return g, err
}

func describeColumn(c *store.Column) tableColumn {
	d := tableColumn{Name: c.Name, Type: c.Type, Encoding: string(c.Encoding), DType: c.DType, Leaf: c.Leaf}
	if c.Nullable != store.NoNulls {
		d.Nulls = string(c.Nullable)
	}
	return d
}

func describeTreeLeaf(s *store.Store, l store.Leaf) treeLeaf {
	d := treeLeaf{Key: l.Key, Bytes: l.Size, Embedded: l.Embedded, URL: l.URL}
	kind, err := s.Kind(l.Key)
	d.Kind = kind.String()
	if err == nil && l.URL == "" {
		u, opened := s.Array(l.Key)
		switch {
		case opened == nil:
			d.Shape, d.DType = u.Shape(), u.DType().String()
			u.Close()
		case !errors.Is(opened, cairn.ErrNotFound):
			err = opened
		}
	}
	if err == nil && (kind == store.Lazy || kind == store.Reference || kind == store.Proxy) {
		d.Note, err = noteOf(s, l.Key)
	}
	if err != nil {
		d.Kind, d.Fault = "unreadable", oneLine(err.Error())
	}
	return d
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

// text returns the tree for people: each group and leaf on a line, indented by its depth.
func (t *tree) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  kind    %s of %s\n", oneLine(t.Path), t.Kind, count(len(t.Leaves), "leaf"))
	lines := map[string]string{}
	for _, g := range t.Groups {
		// before what is in it, and behind a leaf of the same key
		lines[g.Key+"\x00"] = t.groupText(g, t.depth(g.Key))
	}
	for _, l := range t.Leaves {
		lines[l.Key] += fmt.Sprintf("%s%s  %s\n", strings.Repeat("  ", t.depth(l.Key)+1), oneLine(path.Base(l.Key)), l.text())
	}
	for _, key := range slices.SortedFunc(maps.Keys(lines), treeOrder) {
		b.WriteString(lines[key])
	}
	return b.String()
}

// treeOrder orders keys so that the content of a group follows it: slashes sort before everything
// else.
func treeOrder(a, b string) int {
	x, y := strings.TrimSuffix(a, "\x00"), strings.TrimSuffix(b, "\x00")
	for i := range min(len(x), len(y)) {
		switch {
		case x[i] == y[i]:
		case x[i] == '/':
			return -1
		case y[i] == '/':
			return 1
		default:
			return cmp.Compare(x[i], y[i])
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

// depth returns the number of shown groups around a key.
func (t *tree) depth(key string) int {
	if t.root != "/" {
		key = strings.TrimPrefix(key, t.root)
	}
	return strings.Count(strings.TrimSuffix(key, "/"), "/")
}

// groupText returns the line of a group, and its attributes.
func (t *tree) groupText(g treeGroup, depth int) string {
	var b strings.Builder
	indent := strings.Repeat("  ", depth+1)
	name := path.Base(g.Key)
	if g.Key != "/" {
		name += "/"
	}
	fmt.Fprintf(&b, "%s%s", indent, oneLine(name))
	if g.Kind != "" {
		fmt.Fprintf(&b, "  %s", g.Kind)
	}
	switch {
	case g.Fault != "":
		fmt.Fprintf(&b, ": %s", g.Fault)
	case g.Rows != nil:
		fmt.Fprintf(&b, " of %s, %s", count(*g.Rows, "row"), count(len(g.Columns), "column"))
	}
	b.WriteString("\n")
	for i := range g.Columns {
		fmt.Fprintf(&b, "%s  | %s\n", indent, oneLine(g.Columns[i].text()))
	}
	for _, name := range slices.Sorted(maps.Keys(g.Attributes)) {
		fmt.Fprintf(&b, "%s  %s\n", indent, oneLine("@"+name+" "+jsonText(g.Attributes[name])))
	}
	return b.String()
}

// text describes a column, and its storage unless it is plain items of the type.
func (c *tableColumn) text() string {
	text := c.Name + "  " + c.Type
	if c.Encoding != string(store.PlainColumn) && c.Encoding != c.Type {
		text += ", " + c.Encoding
	}
	if c.DType != "" {
		text += " " + c.DType
	}
	if c.Nulls != "" {
		text += ", " + c.Nulls
	}
	return text
}

func (l *treeLeaf) text() string {
	text := l.Kind
	if l.Shape != nil {
		text += fmt.Sprintf(" %s %s", shapeText(l.Shape), l.DType)
	}
	if l.Note != "" {
		text += ": " + l.Note
	}
	switch {
	case l.URL != "":
		text += " at " + l.URL
	case l.Fault != "":
		text += ": " + l.Fault
	default:
		text += ", " + progress.Size(l.Bytes)
	}
	if l.Embedded && l.URL == "" {
		text += ", embedded"
	}
	return oneLine(text)
}
