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
	Path   string     `json:"path"`
	Kind   string     `json:"kind"` // "tree store", "dict store" or "embed store"
	Groups []group    `json:"groups"`
	Leaves []treeLeaf `json:"leaves"`
}

// group is a group that something is noted about.
type group struct {
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

// describeTree lists a store. Leaves that cannot be read are listed as such.
func describeTree(s *store.Store) (*tree, error) {
	t := &tree{Path: s.Name(), Kind: s.StoreKind().String(), Groups: []group{}, Leaves: []treeLeaf{}}
	objects, err := s.Objects()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for l := range s.Leaves() {
		for dir := path.Dir(l.Key); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			g := group{Key: dir}
			if kind, ok := objects[dir]; ok {
				g.Kind = kind.String()
			}
			attributes, err := s.Attributes(dir)
			if err != nil {
				return nil, err
			}
			if len(attributes) > 0 {
				g.Attributes, _ = jsonValue(attributes).(map[string]any)
			}
			if g.Kind != "" || g.Attributes != nil {
				t.Groups = append(t.Groups, g)
			}
		}
		t.Leaves = append(t.Leaves, describeTreeLeaf(s, l))
	}
	return t, nil
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
	notes := map[string]group{}
	for _, g := range t.Groups {
		notes[g.Key] = g
	}
	open := map[string]bool{}
	t.groupText(&b, notes["/"], "/", 0)
	for _, l := range t.Leaves {
		parts := strings.Split(strings.TrimPrefix(path.Dir(l.Key), "/"), "/")
		for i := range parts {
			key := "/" + strings.Join(parts[:i+1], "/")
			if key != "/" && !open[key] {
				open[key] = true
				t.groupText(&b, notes[key], key, i+1)
			}
		}
		fmt.Fprintf(&b, "%s%s  %s\n", strings.Repeat("  ", strings.Count(l.Key, "/")+1), oneLine(path.Base(l.Key)), l.text())
	}
	return b.String()
}

// groupText writes the line of a group, and its attributes.
func (t *tree) groupText(b *strings.Builder, g group, key string, depth int) {
	indent := strings.Repeat("  ", depth+1)
	name := path.Base(key)
	if key != "/" {
		name += "/"
	}
	fmt.Fprintf(b, "%s%s", indent, oneLine(name))
	if g.Kind != "" {
		fmt.Fprintf(b, "  %s", g.Kind)
	}
	b.WriteString("\n")
	for _, name := range slices.Sorted(maps.Keys(g.Attributes)) {
		fmt.Fprintf(b, "%s  %s\n", indent, oneLine("@"+name+" "+jsonText(g.Attributes[name])))
	}
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
