package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/store"
)

// A shownTree is a file with several arrays, or a group in it, that is described for people.
type shownTree struct {
	*described.Tree
	is     string
	header string // of a whole file of a format that has such a text, or ""
	most   int    // arrays of a group that are listed
	fault  error  // why some items are missing, or nil

	groups map[string]bool // those that are listed
}

// text returns the tree for people: each group, array and link on a line, indented by its depth.
func (t *shownTree) text(std *streams) string {
	t.groups = map[string]bool{}
	for i := range t.Groups {
		t.groups[t.Groups[i].Key] = true
	}
	rows := table.New(table.Column{Keep: true}, table.Column{}, table.Column{}, table.Column{}, table.Column{Right: true},
		table.Column{})
	lines := map[string]func(){}
	t.addArrays(lines, rows)
	for i := range t.Groups {
		g := &t.Groups[i]
		// before what is in it, and behind an array of the same key
		lines[inOrder(g.Key)+"\x00"] = func() { t.groupLines(rows, g) }
	}
	for i := range t.Links {
		l := &t.Links[i]
		lines[inOrder(l.Key)] = func() {
			rows.Add(table.Faint, t.label(l.Key), console.OneLine(l.Kind), "", "", "", console.OneLine(l.Says))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		lines[key]()
	}

	list := &table.List{Least: 6}
	list.Add("", "kind", t.is)
	if t.Fault != "" {
		list.Add(table.Red, "fault", console.OneLine(t.Fault))
	}
	text := t.header + std.Titled(t.Path, list) + std.Below("  ", rows)
	if t.Convert != "" {
		list = &table.List{Least: 6}
		list.Add("", "convert", t.Convert)
		text += list.Text(std.Columns(), std.Color)
	}
	return text
}

// label returns the name of something in the tree, indented by the number of groups that are listed
// around it.
func (t *shownTree) label(key string) string {
	name := ""
	depth := 0

	for at := path.Dir(key); key != "/"; at = path.Dir(at) {
		if t.groups[at] {
			if name == "" {
				name = strings.TrimPrefix(key[len(at):], "/")
			}
			depth++
		}
		if at == "/" {
			break
		}
	}

	if name == "" {
		name = strings.TrimPrefix(key, "/")
	}
	return strings.Repeat("  ", depth) + console.OneLine(name)
}

// Large trees show only the first arrays of each group.
const (
	largeTree   = 200
	leavesShown = 5
)

// treeOf describes the arrays of a tree that have some keys. Of a large tree it opens only those
// that are listed, unless all are.
func treeOf(ctx context.Context, h *formats.Holding, group string, keys []string, all bool) (*shownTree, error) {
	most := len(keys)
	if most > largeTree && !all {
		most = leavesShown
	}

	found := map[string]int{} // by group
	opened := make([]bool, len(keys))
	for i, key := range keys {
		in := path.Dir(formats.Key(key))
		found[in]++
		opened[i] = found[in] <= most
	}

	t, err := described.OfTree(ctx, h, group, keys, parallel.Workers(0), opened)
	return &shownTree{Tree: t, most: most}, err
}

// addArrays adds what adds the line of each array that is listed, and of how many are not.
func (t *shownTree) addArrays(lines map[string]func(), rows *table.Table) {
	found := map[string]int{} // by group
	for i := range t.Arrays {
		a := &t.Arrays[i]
		group := path.Dir(a.Key)
		found[group]++
		switch n := found[group]; {
		case n <= t.most:
			lines[inOrder(a.Key)] = func() { t.row(rows, a) }
		case n == t.most+1:
			lines[inOrder(a.Key)] = func() {
				rows.Span(table.Faint, fmt.Sprintf("%s… %s more; -all lists them", indentOf(t.label(a.Key)),
					console.Count(found[group]-t.most, "leaf")))
			}
		}
	}
}

// inOrder returns a text for a key, by which the content of a group follows it: slashes sort before
// everything else.
func inOrder(key string) string { return strings.ReplaceAll(key, "/", "\x01") }

// indentOf returns the spaces in front of a text.
func indentOf(text string) string { return text[:len(text)-len(strings.TrimLeft(text, " "))] }

// groupLines adds the line of a group, and its attributes.
func (t *shownTree) groupLines(rows *table.Table, g *described.Group) {
	label := t.label(g.Key)
	if g.Key == "/" {
		label = "/"
	} else {
		label += "/"
	}
	line := label
	style := table.Style(table.Bold)
	if g.Kind != described.GroupKind {
		line += "  " + string(g.Kind)
	}
	switch {
	case g.Fault != "":
		line += ": " + g.Fault
		style = table.Red
	case g.Rows != nil:
		line += fmt.Sprintf(" of %s, %s", console.Count(*g.Rows, "row"), console.Count(len(g.Columns), "column"))
	}
	rows.Span(style, console.OneLine(line))

	indent := indentOf(label) + "  "
	for i := range g.Columns {
		rows.Span("", indent+"| "+console.OneLine(columnText(&g.Columns[i])))
	}
	if t.header != "" { // which has the attributes
		return
	}
	for _, name := range slices.Sorted(maps.Keys(g.Attributes)) {
		rows.Span(table.Faint, indent+console.OneLine("@"+name+" "+console.JSONLine(g.Attributes[name])))
	}
}

// columnText describes a column, and its storage unless it is plain items of the type.
func columnText(c *described.Column) string {
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

// row adds the line of an array.
func (t *shownTree) row(rows *table.Table, a *described.Array) {
	kind := cmp.Or(a.Container, string(a.Kind))
	if a.Kind == described.Unreadable {
		kind = string(a.Kind)
	}

	shape := ""
	if a.Shape != nil {
		shape = item.Shape(a.Shape)
	}
	if a.Fortran {
		shape += ", in Fortran order"
	}

	size := ""
	note := a.Note
	style := table.Style("")
	switch {
	case a.URL != "":
		note = strings.TrimSpace(note + " at " + a.URL)
	case a.Fault != "":
		note = a.Fault
		style = table.Red
	default:
		size = progress.Size(cmp.Or(a.FileBytes, a.NBytes))
	}

	if a.Embedded && a.URL == "" {
		note = strings.TrimPrefix(note+", embedded", ", ")
	}
	if note == "" {
		note = a.Title
		if a.Units != "" {
			note = strings.TrimSpace(note + " (" + a.Units + ")")
		}
	}

	rows.Add(style, t.label(a.Key), kind, shape, console.OneLine(a.DType), size, console.OneLine(note))
}

// shortHeader returns a header with some of the numbers where there are many. Characters that
// terminals act upon are left out.
func shortHeader(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		values := strings.Split(line, ", ")
		if len(values) > mostInHeader && !strings.Contains(line, `"`) { // no text with commas
			lines[i] = fmt.Sprintf("%s, … ; // %d values\n", strings.Join(values[:mostListed], ", "), len(values))
		}
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.Join(lines, ""))
}

// mostInHeader is how many numbers of an attribute a header shows, as ncdump does; more would fill
// the screen.
const mostInHeader = 100

// attributeText returns the value of an attribute on a line, cut if it is long.
func attributeText(v any) string {
	if text, ok := v.(string); ok {
		return table.Cut(text, mostAttribute)
	}
	if list, ok := v.([]any); ok && len(list) > mostListed {
		return fmt.Sprintf("%s … %d values", table.Cut(fmt.Sprint(list[:mostListed]), mostAttribute), len(list))
	}
	return table.Cut(fmt.Sprint(v), mostAttribute)
}

// Bounds of attributes that are shown to people.
const (
	mostAttribute = 400 // characters
	mostListed    = 24  // values
)
