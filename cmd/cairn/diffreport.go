package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/cmd/cairn/internal/diff"
	"github.com/cairn-go/cairn/cmd/cairn/internal/item"
	"github.com/cairn-go/cairn/cmd/cairn/internal/table"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A comparison is how two arrays differ; its fields are those of the JSON output.
type comparison struct {
	A       string        `json:"a"`
	B       string        `json:"b"`
	Equal   bool          `json:"equal"`
	Changes []diff.Change `json:"changes"`         // other than of items
	Items   *itemChanges  `json:"items,omitempty"` // nil if they cannot be compared
	dtypes  [2]meta.DType
}

type itemChanges struct {
	Items    int64       `json:"items"`
	Differ   int64       `json:"differ"`
	NaN      int64       `json:"nan"` // of those that differ: NaN in both
	First    *itemChange `json:"first,omitempty"`
	Largest  *itemChange `json:"largest,omitempty"`
	Relative *itemChange `json:"relative,omitempty"`
	Mean     any         `json:"mean"` // of A minus B
}

type itemChange struct {
	At []int64 `json:"at"`
	A  string  `json:"a"`
	B  string  `json:"b"`
	By any     `json:"by,omitempty"`
}

// count takes over the counts of items.
func (c *comparison) count(n *diff.Counts) {
	place := func(p *diff.Place) *itemChange {
		if p == nil {
			return nil
		}
		change := &itemChange{At: p.At, A: item.Text(c.dtypes[0], p.A), B: item.Text(c.dtypes[1], p.B)}
		if p.By != 0 {
			change.By = number(p.By)
		}
		return change
	}
	c.Items = &itemChanges{Items: n.Items, Differ: n.Differ, NaN: n.NaN, First: place(n.First),
		Largest: place(n.Largest), Relative: place(n.Relative)}
	if mean, ok := n.Mean(); ok {
		c.Items.Mean = number(mean)
	}
}

// text tells people what differs.
func (c *comparison) text(std *streams) string {
	if c.Equal && c.Items.Largest == nil {
		return fmt.Sprintf("equal: %s\n", count(c.Items.Items, "item"))
	}
	return c.table(std, diffNames(c.A, c.B)) + c.verdict() + "\n"
}

// diffNames returns short names for two operands, which differ if the operands do.
func diffNames(a, b string) [2]string {
	if x, y := filepath.Base(a), filepath.Base(b); x != y {
		return [2]string{oneLine(x), oneLine(y)}
	}
	return [2]string{oneLine(a), oneLine(b)}
}

// table lists what differs, with a column for each array.
func (c *comparison) table(std *streams, names [2]string) string {
	t := table.New(table.Column{Keep: true}, table.Column{Name: names[0]}, table.Column{Name: names[1]},
		table.Column{Name: "difference"})
	for _, change := range c.Changes {
		t.Add("", oneLine(change.Name), changeText(change.A), changeText(change.B), "")
	}
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
			t.Add("", row.name+" "+fmt.Sprint(row.At), row.A, row.B, by)
		}
	}
	return t.Text(std.width(), std.color)
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
		return shapeText(v)
	case string:
		return oneLine(v)
	}
	return oneLine(jsonText(v))
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
		b.WriteString(ofAll(n.Differ, n.Items, "item"))
	case n.Largest != nil:
		fmt.Fprintf(&b, "%s equal within the tolerances", count(n.Items, "item"))
	default:
		fmt.Fprintf(&b, "%s equal", count(n.Items, "item"))
	}
	if n.NaN > 0 {
		fmt.Fprintf(&b, ", %d NaN in both, which -equal-nan lets pass", n.NaN)
	}
	if n.Largest != nil && n.Mean != nil {
		fmt.Fprintf(&b, ", mean difference %s", valueText(n.Mean))
	}
	return b.String()
}

// ofAll returns "1 of 20 items differs", "2 of 20 items differ".
func ofAll[N int | int64](n, all N, what string) string {
	if n == 1 {
		return "1 of " + count(all, what) + " differs"
	}
	return fmt.Sprintf("%d of %s differ", n, count(all, what))
}
