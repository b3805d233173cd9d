package command

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
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/table"
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
	all    bool        // list all leaves for people too
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
		t.Path += place.Mark + t.root
	}
	objects, err := s.Objects()
	if err != nil {
		return nil, err
	}
	// an address of a tree is an object without leaves
	keys := slices.Concat(formats.Groups(ctx, s), slices.Collect(maps.Keys(objects)))
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
			t.Leaves = append(t.Leaves, describeTreeLeaf(ctx, s, l))
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
	attributes, err := s.Attributes(ctx, key)
	if len(attributes) > 0 {
		g.Attributes, _ = item.Meta(attributes).(map[string]any)
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

func describeTreeLeaf(ctx context.Context, s *store.Store, l store.Leaf) treeLeaf {
	d := treeLeaf{Key: l.Key, Bytes: l.Size, Embedded: l.Embedded, URL: l.URL}
	kind, err := s.Kind(l.Key)
	d.Kind = kind.String()
	if err == nil && l.URL == "" {
		u, opened := s.Array(ctx, l.Key)
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
func (t *tree) text(std *streams) string {
	list := &table.List{Least: 6}
	list.Add("", "kind", fmt.Sprintf("%s of %s", t.Kind, count(len(t.Leaves), "leaf")))
	rows := table.New(table.Column{Keep: true}, table.Column{}, table.Column{}, table.Column{}, table.Column{Right: true},
		table.Column{})
	lines := map[string]func(){}
	for i := range t.Groups {
		g := &t.Groups[i]
		// before what is in it, and behind a leaf of the same key
		lines[g.Key+"\x00"] = func() { t.groupLines(rows, g) }
	}
	hidden := t.hidden()
	for i := range t.Leaves {
		l := &t.Leaves[i]
		indent := strings.Repeat("  ", t.depth(l.Key))
		switch n := hidden[path.Dir(l.Key)]; {
		case n.shown < n.most:
			n.shown++
			lines[l.Key] = func() { l.row(rows, indent) }
		case n.shown == n.most:
			n.shown++
			lines[l.Key] = func() {
				rows.Span(table.Faint, fmt.Sprintf("%s… %s more; -all lists them", indent,
					count(n.leaves-leavesShown, "leaf")))
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(lines), treeOrder) {
		lines[key]()
	}
	return std.titled(t.Path, list) + std.below("  ", rows)
}

// A treeCount counts the leaves of a group, of which at most some are shown.
type treeCount struct{ leaves, shown, most int }

// Large trees show only the first leaves of each group.
const (
	largeTree   = 200
	leavesShown = 5
)

// hidden counts the leaves of all groups.
func (t *tree) hidden() map[string]*treeCount {
	counts := map[string]*treeCount{}
	for _, l := range t.Leaves {
		group := path.Dir(l.Key)
		if counts[group] == nil {
			counts[group] = &treeCount{most: len(t.Leaves)}
		}
		counts[group].leaves++
	}
	for _, n := range counts {
		if len(t.Leaves) > largeTree && !t.all && n.leaves > leavesShown+1 {
			n.most = leavesShown
		}
	}
	return counts
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

// groupLines adds the line of a group, and its attributes.
func (t *tree) groupLines(rows *table.Table, g *treeGroup) {
	indent := strings.Repeat("  ", t.depth(g.Key))
	line := path.Base(g.Key)
	if g.Key != "/" {
		line += "/"
	}
	if g.Kind != "" {
		line += "  " + g.Kind
	}
	style := table.Bold
	switch {
	case g.Fault != "":
		line += ": " + g.Fault
		style = table.Red
	case g.Rows != nil:
		line += fmt.Sprintf(" of %s, %s", count(*g.Rows, "row"), count(len(g.Columns), "column"))
	}
	rows.Span(style, indent+oneLine(line))
	for i := range g.Columns {
		rows.Span("", indent+"  | "+oneLine(g.Columns[i].text()))
	}
	for _, name := range slices.Sorted(maps.Keys(g.Attributes)) {
		rows.Span(table.Faint, indent+"  "+oneLine("@"+name+" "+jsonText(g.Attributes[name])))
	}
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

// row adds the line of a leaf.
func (l *treeLeaf) row(rows *table.Table, indent string) {
	shape, size, note, style := "", "", l.Note, table.Style("")
	if l.Shape != nil {
		shape = shapeText(l.Shape)
	}
	switch {
	case l.URL != "":
		note = strings.TrimSpace(note + " at " + l.URL)
	case l.Fault != "":
		note, style = l.Fault, table.Red
	default:
		size = progress.Size(l.Bytes)
	}
	if l.Embedded && l.URL == "" {
		note = strings.TrimPrefix(note+", embedded", ", ")
	}
	rows.Add(style, indent+oneLine(path.Base(l.Key)), l.Kind, shape, oneLine(l.DType), size, oneLine(note))
}
