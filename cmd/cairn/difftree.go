package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/cairn/internal/diff"
	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/cmd/cairn/internal/table"
	"github.com/cairn-go/cairn/ndarray"
)

// A treeComparison is how two trees of arrays differ; its fields are those of the JSON output.
type treeComparison struct {
	A      string        `json:"a"`
	B      string        `json:"b"`
	Equal  bool          `json:"equal"`
	OnlyA  []string      `json:"onlyA"`  // keys of arrays and groups
	OnlyB  []string      `json:"onlyB"`  //
	Groups []groupChange `json:"groups"` // those whose attributes differ
	Arrays []*comparison `json:"arrays"` // those that differ
	Both   int           `json:"both"`   // arrays that both have
}

type groupChange struct {
	Key     string        `json:"key"`
	Changes []diff.Change `json:"changes"`
}

// compareTrees compares the arrays and groups of two trees.
func (f *diffFlags) compareTrees(ctx context.Context, std *streams, t *treeComparison, x, y *forest) error {
	t.OnlyA, t.OnlyB, t.Groups, t.Arrays = []string{}, []string{}, []groupChange{}, []*comparison{}
	for _, key := range x.arrays() {
		if y.has(key) {
			t.Both++
		} else {
			t.OnlyA = append(t.OnlyA, key)
		}
	}
	for _, key := range y.arrays() {
		if !x.has(key) {
			t.OnlyB = append(t.OnlyB, key)
		}
	}
	if err := t.compareGroups(x, y); err != nil {
		return err
	}
	bar := std.newBar("comparing", x.size(ctx)+y.size(ctx))
	defer bar.Close()
	for _, key := range x.arrays() {
		if !y.has(key) {
			continue
		}
		c, err := f.compareLeaf(ctx, key, x, y, bar)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !c.Equal {
			t.Arrays = append(t.Arrays, c)
		}
	}
	t.Equal = len(t.OnlyA)+len(t.OnlyB)+len(t.Groups)+len(t.Arrays) == 0
	return nil
}

func (f *diffFlags) compareLeaf(ctx context.Context, key string, x, y *forest, bar *progress.Bar) (*comparison, error) {
	a, err := x.source(ctx, key)
	if err != nil {
		return nil, err
	}
	defer closeSource(a)
	b, err := y.source(ctx, key)
	if err != nil {
		return nil, err
	}
	defer closeSource(b)
	return f.compare(ctx, side{name: key, src: a}, side{name: key, src: b}, bar)
}

// compareGroups compares the attributes of groups. Formats without groups have none to compare.
func (t *treeComparison) compareGroups(x, y *forest) error {
	if x.grouped == nil || y.grouped == nil {
		return nil
	}
	own, others := x.groupKeys(), y.groupKeys()
	for _, key := range own {
		if !slices.Contains(others, key) {
			t.OnlyA = append(t.OnlyA, strings.TrimSuffix(key, "/")+"/")
			continue
		}
		a, err := x.attributes(key)
		if err != nil {
			return err
		}
		b, err := y.attributes(key)
		if err != nil {
			return err
		}
		if changes := diff.Attributes(a, b); len(changes) > 0 {
			t.Groups = append(t.Groups, groupChange{key, changes})
		}
	}
	for _, key := range others {
		if !slices.Contains(own, key) {
			t.OnlyB = append(t.OnlyB, strings.TrimSuffix(key, "/")+"/")
		}
	}
	return nil
}

// text tells people what differs.
func (t *treeComparison) text(std *streams) string {
	if t.Equal {
		return fmt.Sprintf("equal: %s\n", count(t.Both, "array"))
	}
	var b strings.Builder
	names := diffNames(t.A, t.B)
	for _, g := range t.Groups {
		c := comparison{Changes: g.Changes}
		fmt.Fprintf(&b, "%s\n%s\n", std.color.Paint(table.Bold, oneLine(g.Key)), c.table(std, names))
	}
	for _, c := range t.Arrays {
		fmt.Fprintf(&b, "%s\n%s%s\n\n", std.color.Paint(table.Bold, oneLine(c.A)), c.table(std, names), c.verdict())
	}
	for i, only := range [][]string{t.OnlyA, t.OnlyB} {
		for _, key := range only {
			fmt.Fprintf(&b, "%s only in %s\n", std.color.Paint(table.Bold, oneLine(key)), names[i])
		}
	}
	b.WriteString(ofAll(len(t.Arrays), t.Both, "array"))
	for i, only := range [][]string{t.OnlyA, t.OnlyB} {
		if len(only) > 0 {
			fmt.Fprintf(&b, ", %d only in %s", len(only), names[i])
		}
	}
	b.WriteString("\n")
	return b.String()
}

// source opens the array of a tree that has a key.
func (f *forest) source(ctx context.Context, key string) (ndarray.Source, error) {
	src, err := f.open(ctx, f.names[key])
	if err != nil {
		return nil, f.wrap(err)
	}
	return src, nil
}
