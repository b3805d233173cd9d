package result

import "fmt"

// UserRows renders the workload users for someone who chooses a library: one line per codec, number
// of threads and operation. cairn's column is its own speed or time; the others say how many times
// as fast cairn is, as the geometric mean over arrays, with the worst array in brackets.
func UserRows(measures []*Measure) [][]string {
	peers := Peers(measures)
	head := []string{"codec", "threads", "operation", Cairn}
	for _, p := range peers {
		if p != Cairn {
			head = append(head, "× "+p)
		}
	}
	rows := [][]string{head}

	order, groups := grouped(measures, func(m *Measure) Mean { return Mean{Op: m.Op, Codec: m.Codec, Threads: m.Threads} })
	for _, k := range order {
		row := []string{k.Codec, fmt.Sprint(k.Threads), k.Op, typical(groups[k])}
		for _, p := range peers {
			if p == Cairn {
				continue
			}
			g := GroupOf(groups[k], Cairn, p)
			cell := ""
			switch {
			case g.Samples > 1:
				cell = fmt.Sprintf("%.2f (%.2f)", g.Speed.Mean, g.Speed.Worst)
			case g.Samples == 1:
				cell = fmt.Sprintf("%.2f", g.Speed.Mean)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// typical returns the geometric mean of cairn's own speeds, or of its times.
func typical(measures []*Measure) string {
	var all []float64
	for _, m := range measures {
		if m.Latency {
			t, _ := m.Seconds(Cairn)
			all = append(all, t*1e6)
		} else {
			v, _ := m.Speed(Cairn)
			all = append(all, v)
		}
	}
	if measures[0].Latency {
		return fmt.Sprintf("%.4g µs", GeoMean(all))
	}
	return fmt.Sprintf("%.4g MB/s", GeoMean(all))
}
