package result

import (
	"fmt"
	"slices"
	"strings"
)

// Fastest returns the fastest peer but cairn, and how many times as fast as that cairn is, the
// median over rounds, or false without cairn or another one.
func (m *Measure) Fastest() (peer string, ratio float64, ok bool) {
	for _, s := range m.Sides {
		if r, ok := m.Ratio(Cairn, s.Peer); ok && s.Peer != Cairn && (peer == "" || r.Median < ratio) {
			peer, ratio = s.Peer, r.Median
		}
	}
	return peer, ratio, peer != ""
}

// FastestTable renders how many times as fast as the fastest other cairn is, in Markdown: a line
// for each operation, a column for each codec and number of threads, and the fastest others.
// A cell is the geometric mean over arrays, with the worst one in brackets.
func FastestTable(measures []*Measure) string {
	type column struct {
		codec   string
		threads int
	}
	type cell struct {
		op string
		column
	}
	var columns []column
	var ops []string
	ratios := map[cell]*values{}
	fastest := map[string][]string{}
	all := map[column]*values{}
	for _, m := range measures {
		peer, ratio, ok := m.Fastest()
		if !ok {
			continue
		}
		col := column{m.Codec, m.Threads}
		if !slices.Contains(columns, col) {
			columns, all[col] = append(columns, col), &values{}
		}
		if !slices.Contains(ops, m.Op) {
			ops = append(ops, m.Op)
		}
		c := cell{m.Op, col}
		if ratios[c] == nil {
			ratios[c] = &values{}
		}
		ratios[c].add(m.Data, ratio)
		all[col].add(m.Op+m.Data, ratio)
		if !slices.Contains(fastest[m.Op], peer) {
			fastest[m.Op] = append(fastest[m.Op], peer)
		}
	}
	var b strings.Builder
	line := func(first string, last string, v func(column) *values) {
		b.WriteString("| " + first + " |")
		for _, c := range columns {
			text := ""
			if v(c) != nil {
				a := v(c).average()
				text = fmt.Sprintf("%.2f (%.2f)", a.Mean, a.Worst)
			}
			b.WriteString(" " + text + " |")
		}
		b.WriteString(" " + last + " |\n")
	}
	b.WriteString("| |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s, %d thr |", c.codec, c.threads)
	}
	b.WriteString(" fastest others |\n|---|" + strings.Repeat("---:|", len(columns)) + "---|\n")
	for _, op := range ops {
		line(op, strings.Join(fastest[op], ", "), func(c column) *values { return ratios[cell{op, c}] })
	}
	line("all", "", func(c column) *values { return all[c] })
	return b.String()
}
