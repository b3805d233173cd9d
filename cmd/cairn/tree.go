package main

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/store"
)

// tree is what info tells about a store; its fields are those of the JSON output.
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
}

type treeLeaf struct {
	Key      string  `json:"key"`
	Kind     string  `json:"kind"` // "unreadable" if it cannot be opened
	Shape    []int64 `json:"shape,omitempty"`
	DType    string  `json:"dtype,omitempty"`
	Bytes    int64   `json:"bytes"` // as stored
	Embedded bool    `json:"embedded,omitempty"`
	URL      string  `json:"url,omitempty"`
	Fault    string  `json:"fault,omitempty"`
}

// describeTree lists a store, or one group of it. Leaves that cannot be read are listed as such.
func describeTree(s *store.Store, group string) (*tree, error) {
	t := &tree{Path: s.Name(), Kind: s.StoreKind().String(), Groups: []treeGroup{}, Leaves: []treeLeaf{}}
	if t.root = path.Join("/", group); t.root != "/" {
		t.Path += leafMark + t.root
	}
	objects, err := s.Objects()
	if err != nil {
		return nil, err
	}
	keys := slices.Concat(s.Groups(), slices.Collect(maps.Keys(objects))) // an address of a tree is an object without leaves
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		if !below(key, group) {
			continue
		}
		g, err := describeGroup(s, key, objects)
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

func describeGroup(s *store.Store, key string, objects map[string]store.Kind) (treeGroup, error) {
	g := treeGroup{Key: key}
	if kind, ok := objects[key]; ok {
		g.Kind = kind.String()
	}
	attributes, err := s.Attributes(key)
	if len(attributes) > 0 {
		g.Attributes, _ = jsonValue(attributes).(map[string]any)
	}
	return g, err
}

func describeTreeLeaf(s *store.Store, l store.Leaf) treeLeaf {
	d := treeLeaf{Key: l.Key, Bytes: l.Size, Embedded: l.Embedded, URL: l.URL}
	kind, err := s.Kind(l.Key)
	d.Kind = kind.String()
	if err == nil && l.URL == "" {
		u, opened := s.Array(l.Key)
		switch {
		case opened == nil:
			d.Shape, d.DType = u.Shape(), u.DTypeString()
			u.Close()
		case !errors.Is(opened, cairn.ErrNotFound):
			err = opened
		}
	}
	if err != nil {
		d.Kind, d.Fault = "unreadable", oneLine(err.Error())
	}
	return d
}

// text returns the tree for people: each group and leaf on a line, indented by its depth.
func (t *tree) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  kind    %s of %d leaves\n", oneLine(t.Path), t.Kind, len(t.Leaves))
	lines := map[string]string{}
	for _, g := range t.Groups {
		lines[g.Key+"\x00"] = t.groupText(g, t.depth(g.Key)) // before what is in it, and behind a leaf of the same key
	}
	for _, l := range t.Leaves {
		lines[l.Key] += fmt.Sprintf("%s%s  %s\n", strings.Repeat("  ", t.depth(l.Key)+1), oneLine(path.Base(l.Key)), l.text())
	}
	for _, key := range slices.SortedFunc(maps.Keys(lines), treeOrder) {
		b.WriteString(lines[key])
	}
	return b.String()
}

// treeOrder is the order of keys in which what is in a group comes right behind it.
func treeOrder(a, b string) int {
	order := slices.Compare(strings.Split(strings.TrimSuffix(a, "\x00"), "/"), strings.Split(strings.TrimSuffix(b, "\x00"), "/"))
	if order == 0 {
		order = strings.Compare(a, b)
	}
	return order
}

// depth returns how many groups of what is shown a key is in.
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
	b.WriteString("\n")
	for _, name := range slices.Sorted(maps.Keys(g.Attributes)) {
		fmt.Fprintf(&b, "%s  %s\n", indent, oneLine("@"+name+" "+jsonText(g.Attributes[name])))
	}
	return b.String()
}

func (l *treeLeaf) text() string {
	text := l.Kind
	if l.Shape != nil {
		text += fmt.Sprintf(" %s %s", shapeText(l.Shape), l.DType)
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
