package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/diff"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A comparison is how two arrays differ; its fields are those of the JSON output.
type comparison struct {
	A       string        `json:"a,omitempty"`
	B       string        `json:"b,omitempty"`
	Key     string        `json:"key,omitempty"` // of arrays in trees, instead of A and B
	Equal   bool          `json:"equal"`
	Changes []diff.Change `json:"changes"`         // other than of items
	Items   *itemChanges  `json:"items,omitempty"` // nil if they cannot be compared
	dtypes  [2]meta.DType
}

type itemChanges struct {
	Count    int64       `json:"count"`
	Differ   int64       `json:"differ"`
	NaN      int64       `json:"nan"` // of those that differ: NaN in both
	First    *itemChange `json:"first,omitempty"`
	Largest  *itemChange `json:"largest,omitempty"`
	Relative *itemChange `json:"relative,omitempty"`
	Mean     any         `json:"mean"` // of A minus B
}

type itemChange struct {
	At []int64 `json:"at"`
	// such as "time=2020-01-03, lat=50"; empty if no dimension has coordinates
	Where string `json:"where,omitempty"`
	A     string `json:"a"`
	B     string `json:"b"`
	By    any    `json:"by,omitempty"`
}

// count takes over the counts of items.
func (c *comparison) count(n *diff.Counts) {
	place := func(p *diff.Place) *itemChange {
		if p == nil {
			return nil
		}
		change := &itemChange{At: p.At, A: item.Text(c.dtypes[0], p.A), B: item.Text(c.dtypes[1], p.B)}
		if p.By != 0 {
			change.By = item.Value(p.By)
		}
		return change
	}

	c.Items = &itemChanges{Count: n.Items, Differ: n.Differ, NaN: n.NaN, First: place(n.First),
		Largest: place(n.Largest), Relative: place(n.Relative)}
	if mean, ok := n.Mean(); ok {
		c.Items.Mean = item.Value(mean)
	}
}

// text says what differs, for people.
func (c *comparison) text(std *streams) string {
	if c.Equal && c.Items.Largest == nil {
		return fmt.Sprintf("equal: %s\n", console.Count(c.Items.Count, "item"))
	}
	return c.table(std, diffNames(c.A, c.B)) + std.Wrapped(c.verdict())
}

// diffNames returns short names for two operands, which differ if the operands do.
func diffNames(a, b string) [2]string {
	if x, y := filepath.Base(a), filepath.Base(b); x != y {
		return [2]string{console.OneLine(x), console.OneLine(y)}
	}
	return [2]string{console.OneLine(a), console.OneLine(b)}
}

// table lists what differs, with a column for each array.
func (c *comparison) table(std *streams, names [2]string) string {
	t := diffTable(names)
	c.rows(t, "")
	return t.Stacked(std.Width(), std.Color)
}

// diffTable returns a table with a column for each of two things.
func diffTable(names [2]string) *table.Table {
	return table.New(table.Column{Keep: true}, table.Column{Name: names[0]}, table.Column{Name: names[1]},
		table.Column{Name: "difference"})
}

func addChanges(t *table.Table, indent string, changes []diff.Change) {
	for _, change := range changes {
		t.Add("", indent+console.OneLine(change.Name), changeText(change.A), changeText(change.B), "")
	}
}

// rows adds what differs to a table.
func (c *comparison) rows(t *table.Table, indent string) {
	addChanges(t, indent, c.Changes)

	if n := c.Items; n != nil {
		for _, row := range []struct {
			name string
			*itemChange
		}{{"first", n.First}, {"largest", n.Largest}, {"relative", n.Relative}} {
			if row.itemChange == nil || row.name == "first" && samePlace(n.First, n.Largest) {
				continue
			}

			by := ""
			if row.By != nil {
				by = valueText(row.By)
			}
			place := row.Where
			if place == "" {
				place = fmt.Sprint(row.At)
			}

			t.Add("", indent+row.name+" "+console.OneLine(place), row.A, row.B, by)
		}
	}
}

func samePlace(a, b *itemChange) bool {
	return b != nil && fmt.Sprint(a.At) == fmt.Sprint(b.At)
}

// changeText shows one side of a change.
func changeText(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case ndarray.Shape:
		return item.Shape(v)
	case string:
		return console.OneLine(v)
	}
	return console.OneLine(console.JSONLine(v))
}

// verdict is one line on the items.
func (c *comparison) verdict() string {
	n := c.Items
	if n == nil {
		return "items not compared"
	}

	var b strings.Builder
	switch {
	case n.Differ > 0:
		b.WriteString(ofAll(n.Differ, n.Count, "item"))
	case n.Largest != nil:
		fmt.Fprintf(&b, "%s equal within the tolerances", console.Count(n.Count, "item"))
	default:
		fmt.Fprintf(&b, "%s equal", console.Count(n.Count, "item"))
	}

	if n.NaN > 0 {
		fmt.Fprintf(&b, ", %d NaN in both, which -equal-nan lets pass", n.NaN)
	}
	if n.Largest != nil && n.Mean != nil {
		fmt.Fprintf(&b, ", mean difference %s", valueText(n.Mean))
	}
	if n.Differ == 0 && len(c.Changes) > 0 {
		fmt.Fprintf(&b, ", %s", console.Count(len(c.Changes), "other difference"))
	}
	return b.String()
}

// ofAll returns "1 of 20 items differs", "2 of 20 items differ".
func ofAll[N int | int64](n, all N, what string) string {
	if n == 1 {
		return "1 of " + console.Count(all, what) + " differs"
	}
	return fmt.Sprintf("%d of %s differ", n, console.Count(all, what))
}

// A treeComparison is how two trees of arrays differ; its fields are those of the JSON output.
type treeComparison struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Equal bool   `json:"equal"`
	// lengths of dimensions by name, where a name has one length in each tree
	Dimensions []diff.Change `json:"dimensions"`
	OnlyA      []onlyIn      `json:"only_a"`
	OnlyB      []onlyIn      `json:"only_b"`
	Groups     []groupChange `json:"groups"` // those whose attributes differ
	Arrays     []*comparison `json:"arrays"` // those that differ
	Both       int           `json:"both"`   // arrays that both have
	lengths    [2]diff.Lengths
}

// An onlyIn is an array or a group that only one of two trees has.
type onlyIn struct {
	Key  string         `json:"key"`
	Kind described.Kind `json:"kind"` // ArrayKind or GroupKind
}

// label is the key for people, with a slash behind that of a group.
func (o *onlyIn) label() string {
	if o.Kind == described.GroupKind {
		return strings.TrimSuffix(o.Key, "/") + "/"
	}
	return o.Key
}

type groupChange struct {
	Key     string        `json:"key"`
	Changes []diff.Change `json:"changes"`
}

// compareTrees compares the arrays and groups of two trees.
func (f *diffFlags) compareTrees(ctx context.Context, std *streams, t *treeComparison, x, y *operand.Tree) error {
	t.OnlyA = []onlyIn{}
	t.OnlyB = []onlyIn{}
	t.Groups = []groupChange{}
	t.Arrays = []*comparison{}

	t.lengths = [2]diff.Lengths{{}, {}}
	for _, key := range x.Arrays() {
		if y.Has(key) {
			t.Both++
			continue
		}
		t.OnlyA = append(t.OnlyA, onlyIn{key, described.ArrayKind})
		t.lengths[0].Of(ctx, key, x.Source)
	}
	for _, key := range y.Arrays() {
		if !x.Has(key) {
			t.OnlyB = append(t.OnlyB, onlyIn{key, described.ArrayKind})
			t.lengths[1].Of(ctx, key, y.Source)
		}
	}

	if err := t.compareGroups(ctx, x, y, f.raw); err != nil {
		return err
	}

	// A dimension of -s that some arrays lack is fine, and one that all lack is a mistake.
	f.unused = map[string]bool{}
	f.chosen.Only(func(name string) bool {
		f.unused[name] = true
		return true
	})

	bar := std.newBar("comparing", bytesOfTree(ctx, x)+bytesOfTree(ctx, y))
	defer bar.Close()
	for _, key := range x.Arrays() {
		if !y.Has(key) {
			continue
		}
		c, err := f.compareLeaf(ctx, t, key, x, y, bar)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !c.Equal {
			t.Arrays = append(t.Arrays, c)
		}
	}

	for name, unused := range f.unused {
		if unused {
			return fmt.Errorf("-s: no array has a dimension %q: %w", name, cairn.ErrNotFound)
		}
	}

	t.Dimensions = []diff.Change{}
	if f.selection == "" {
		t.Dimensions = diff.Dimensions(t.lengths[0], t.lengths[1])
	}
	t.Equal = len(t.Dimensions)+len(t.OnlyA)+len(t.OnlyB)+len(t.Groups)+len(t.Arrays) == 0
	return nil
}

func (f *diffFlags) compareLeaf(ctx context.Context, t *treeComparison, key string, x, y *operand.Tree,
	bar *progress.Bar) (*comparison, error) {
	a, err := contentOf(ctx, x, key)
	if err != nil {
		return nil, err
	}
	defer operand.CloseSource(a)
	b, err := contentOf(ctx, y, key)
	if err != nil {
		return nil, err
	}
	defer operand.CloseSource(b)
	t.lengths[0].Add(a)
	t.lengths[1].Add(b)

	nearX, closeX := coordinatesNear(key, x.Source)
	defer closeX()
	nearY, closeY := coordinatesNear(key, y.Source)
	defer closeY()

	c, err := f.compare(ctx, side{key, a, nearX}, side{key, b, nearY}, bar)
	if err != nil {
		return nil, err
	}

	c.A = ""
	c.B = ""
	c.Key = formats.Key(key)
	return c, nil
}

// compareGroups compares the attributes of groups. Formats without groups have none to compare.
func (t *treeComparison) compareGroups(ctx context.Context, x, y *operand.Tree, raw bool) error {
	if x.Groups() == nil || y.Groups() == nil {
		return nil
	}

	own := x.GroupKeys()
	others := y.GroupKeys()
	for _, key := range own {
		if !slices.Contains(others, key) {
			t.OnlyA = append(t.OnlyA, onlyIn{key, described.GroupKind})
			continue
		}

		a, err := x.GroupAttributes(ctx, key)
		if err != nil {
			return err
		}
		b, err := y.GroupAttributes(ctx, key)
		if err != nil {
			return err
		}

		changes := diff.Attributes(a, b)
		if !raw { // how a file came about is no part of what it holds
			changes = slices.DeleteFunc(changes, func(c diff.Change) bool { return c.Attribute() == cf.History })
		}
		if len(changes) > 0 {
			t.Groups = append(t.Groups, groupChange{key, changes})
		}
	}

	for _, key := range others {
		if !slices.Contains(own, key) {
			t.OnlyB = append(t.OnlyB, onlyIn{key, described.GroupKind})
		}
	}
	return nil
}

// text says what differs, for people.
func (t *treeComparison) text(std *streams) string {
	if t.Equal {
		return fmt.Sprintf("equal: %s\n", console.Count(t.Both, "array"))
	}

	const indent = "  "
	names := diffNames(t.A, t.B)
	rows := diffTable(names)
	addChanges(rows, "", t.Dimensions)
	for _, g := range t.Groups {
		rows.Span(table.Bold, console.OneLine(g.Key))
		addChanges(rows, indent, g.Changes)
	}
	for _, c := range t.Arrays {
		rows.Span(table.Bold, console.OneLine(c.Key)+": "+c.verdict())
		c.rows(rows, indent)
	}

	for i, only := range [][]onlyIn{t.OnlyA, t.OnlyB} {
		for _, o := range only {
			rows.Span(table.Bold, console.OneLine(o.label())+" only in "+names[i])
		}
	}
	return rows.Stacked(std.Width(), std.Color) + std.Wrapped(t.verdict(names))
}

// verdict is one line on the arrays and groups.
func (t *treeComparison) verdict(names [2]string) string {
	line := "no array is in both"
	if t.Both > 0 {
		line = ofAll(len(t.Arrays), t.Both, "array")
	}
	for i, only := range [][]onlyIn{t.OnlyA, t.OnlyB} {
		if len(only) > 0 {
			line += fmt.Sprintf(", %d only in %s", len(only), names[i])
		}
	}
	return line
}

// contentOf opens an array of a tree, or a plain frame as its bytes.
func contentOf(ctx context.Context, x *operand.Tree, key string) (ndarray.Source, error) {
	src, err := x.Source(ctx, key)
	s := x.Store()
	if s == nil || !errors.Is(err, cairn.ErrNotFound) {
		return src, err
	}
	plain, err := s.Frame(x.Names[key])
	if err != nil {
		return nil, err
	}
	return newFrameBytes(plain)
}
