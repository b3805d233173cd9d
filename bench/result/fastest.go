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
			peer = s.Peer
			ratio = r.Median
		}
	}
	return peer, ratio, peer != ""
}

// clearly is the ratio below which another program was clearly faster.
const clearly = 0.9

// FastestTable renders how many times as fast as the fastest other cairn is, in Markdown: a line
// for each operation, a column for each codec and number of threads, and the fastest others. A cell
// is the geometric mean over arrays, with the worst one in brackets. Below are the measures in
// which another was clearly faster.
func FastestTable(measures []*Measure) string {
	column := func(m *Measure) string { return fmt.Sprintf("%s, %d thr", m.Codec, m.Threads) }
	columns, in := grouped(measures, column)
	ops, of := grouped(measures, func(m *Measure) string { return m.Op })
	lines := [][]string{append(append([]string{""}, columns...), "fastest others")}

	line := func(name, others string, which func(*Measure) bool) {
		cells := []string{name}
		for _, c := range columns {
			a, samples := average(slices.DeleteFunc(slices.Clone(in[c]), func(m *Measure) bool { return !which(m) }),
				func(m *Measure) string { return m.Op + m.Data },
				func(m *Measure) (float64, bool) { _, ratio, ok := m.Fastest(); return ratio, ok })
			text := ""
			if samples > 0 {
				text = fmt.Sprintf("%.2f (%.2f)", a.Mean, a.Worst)
			}
			cells = append(cells, text)
		}
		lines = append(lines, append(cells, others))
	}

	for _, op := range ops {
		var others []string
		for _, m := range of[op] {
			if peer, _, ok := m.Fastest(); ok && !slices.Contains(others, peer) {
				others = append(others, peer)
			}
		}
		line(op, strings.Join(others, ", "), func(m *Measure) bool { return m.Op == op })
	}
	line("all", "", func(*Measure) bool { return true })

	rule := append([]string{"---"}, slices.Repeat([]string{"---:"}, len(columns))...)
	var b strings.Builder
	for _, cells := range slices.Insert(lines, 1, append(rule, "---")) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	b.WriteString("\n")

	for _, m := range measures {
		if peer, ratio, ok := m.Fastest(); ok && ratio < clearly {
			fmt.Fprintf(&b, "- %.2f %s, %s, %s: %s\n", ratio, m.Op, m.Data, column(m), peer)
		}
	}
	return b.String()
}
