package result

import (
	"fmt"
	"strings"
)

const notes = `A ratio is the speed of cairn divided by C-Blosc2's within a round: the median over the rounds, and the lowest and highest round.
A size is what cairn wrote divided by what C-Blosc2 wrote. Speeds are medians of raw MB (10^6 bytes) per second; µs are medians
of one operation.
`

// Text renders a report for people.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cairn benchmark, %d rounds of every measurement; the peers take turns within each round\n\n",
		r.Rounds)
	fmt.Fprintf(&b, "date      %s, %.0f s\ncommand   %s\nmachine   %s\nload      %s\n", r.Started.Format("2006-01-02 15:04"), r.Took.Seconds(), r.Command,
		r.Machine, r.Load)
	fmt.Fprintf(&b, "versions  %s\n", strings.Join(r.Versions, ", "))
	for _, m := range r.Missing {
		fmt.Fprintf(&b, "missing   %s\n", m)
	}

	b.WriteString("\n" + notes)
	b.WriteString("\n" + r.TargetTable())
	if len(r.Summary) > 0 {
		b.WriteString("\n== how many times as fast as the other cairn is, over arrays ==\n\n" + DistributionTable(r.Summary))
	}

	for _, w := range r.Workloads() {
		b.WriteString("\n== " + w + " ==\n\n")
		writeTable(&b, rowsOf(r.Of(w)))
		if means := Means(r.Of(w)); len(means) > 1 {
			b.WriteString("\nGeometric means over data sets; the last lines also over filters, levels and threads\n\n")
			writeTable(&b, meanRows(means))
		}
	}

	for _, w := range []struct{ name, question string }{
		{"users", "which would a user pick"}, {"zarr", "readers of the same Zarr stores"},
	} {
		if all := r.Of(w.name); len(all) > 0 {
			fmt.Fprintf(&b, "\n== %s: how many times as fast cairn is (the worst array) ==\n\n", w.question)
			writeTable(&b, UserRows(all))
		}
	}

	if verbs := r.Of("verbs"); len(verbs) > 0 {
		b.WriteString("\n== verbs: how many times as fast as the fastest other cairn is (the worst array) ==\n\n" + FastestTable(verbs))
	}

	if levels := r.Of("levels"); len(levels) > 0 {
		b.WriteString("\n== sizes by level, cairn's divided by C-Blosc2's ==\n\n")
		writeTable(&b, sizeRows(levels))
		b.WriteString("\n== frontiers: for each level of C, the speed of cairn's fastest level whose output is not larger, divided by C's ==\n\n")
		writeTable(&b, frontierRows(Frontiers(levels)))
	}

	if len(r.Figures) > 0 {
		b.WriteString("\n== other figures ==\n\n")
		rows := [][]string{{"what", "on", "value", "unit"}}
		for _, f := range r.Figures {
			rows = append(rows, []string{f.Name, f.What, fmt.Sprintf("%.2f", f.Value), f.Unit})
		}
		writeTable(&b, rows)
	}
	return b.String()
}

// TargetTable renders the targets and whether they were reached.
func (r *Report) TargetTable() string {
	var b strings.Builder
	b.WriteString("== targets ==\n\nGeometric means of ratios to C-Blosc2, unless said otherwise.\n\n")
	rows := [][]string{{"target", "wanted", "measured", "of", ""}}
	for _, t := range r.Targets {
		verdict := "MISSED"
		switch {
		case !t.Measured:
			verdict = "-"
		case t.Reached:
			verdict = "reached"
		}
		rows = append(rows, []string{t.Target, t.Want, t.Got, fmt.Sprint(t.Samples), verdict})
	}
	writeTable(&b, rows)
	return b.String()
}

// Line renders one measure for the progress output of a run.
func (m *Measure) Line() string {
	parts := []string{m.Workload, m.Op, m.Data, m.Place, m.parameters()}
	for _, s := range m.Sides {
		parts = append(parts, s.Peer+" "+m.value(s.Peer))
	}
	if r, ok := m.Ratio(Cairn, C); ok {
		parts = append(parts, fmt.Sprintf("ratio %.2f", r.Median))
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

func (m *Measure) parameters() string {
	var p []string
	if m.Codec != "" {
		p = append(p, fmt.Sprintf("%s-%d", m.Codec, m.Level))
	}
	if m.Filter != "" {
		p = append(p, m.Filter)
	}
	if m.Threads > 0 {
		p = append(p, fmt.Sprintf("%d thr", m.Threads))
	}
	if m.Count > 0 {
		p = append(p, fmt.Sprintf("at %d", m.Count))
	}
	return strings.Join(p, " ")
}

// value returns the speed or time of a peer as text.
func (m *Measure) value(peer string) string {
	if m.Latency {
		t, ok := m.Seconds(peer)
		if !ok {
			return ""
		}
		return fmt.Sprintf("%.1f µs", t*1e6)
	}
	v, ok := m.Speed(peer)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.0f MB/s", v)
}

func rowsOf(measures []*Measure) [][]string {
	peers := Peers(measures)
	rows := [][]string{append(append([]string{"data", "where", "parameters", "operation"}, peers...), "ratio", "range", "size", "C packs")}
	for _, m := range measures {
		row := []string{m.Data, m.Place, m.parameters(), m.Op}
		for _, p := range peers {
			row = append(row, m.value(p))
		}

		var ratio, span, size, packs string
		if s, ok := m.Ratio(Cairn, C); ok {
			ratio = fmt.Sprintf("%.2f", s.Median)
			span = fmt.Sprintf("%.2f-%.2f", s.Low, s.High)
		}
		if v, ok := m.SizeRatio(Cairn, C); ok {
			size = fmt.Sprintf("%.3f", v)
			packs = fmt.Sprintf("%.2f", float64(m.Bytes)/float64(m.Side(C).Size))
		}

		rows = append(rows, append(row, ratio, span, size, packs))
	}
	return rows
}

// writeTable aligns columns and omits those without entries.
func writeTable(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for c := range widths {
		for i, row := range rows {
			if i > 0 && row[c] != "" {
				widths[c] = max(widths[c], len([]rune(row[c])), len([]rune(rows[0][c])))
			}
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for c, cell := range row {
			if widths[c] > 0 {
				line.WriteString(cell + strings.Repeat(" ", widths[c]-len([]rune(cell))+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
