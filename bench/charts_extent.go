package main

import (
	"strings"

	"github.com/cairn-go/cairn/bench/chart"
	"github.com/cairn-go/cairn/bench/result"
)

// drawExtents draws the cost of a part of an array against the size of the array, and against the
// number of chunks.
func drawExtents(r *result.Report, dir string) error {
	var rows [][]chart.Panel
	for _, unit := range []string{" MiB", " chunks"} { // with MiB, chunks have 1 MiB
		var row []chart.Panel
		for _, op := range []string{"slice", "point", "read box", "write box, commit"} {
			of := only(only(r.Measures, isOp("extent", op)), func(m *result.Measure) bool { return strings.HasSuffix(m.Data, unit) })
			panel := chart.Panel{Title: op, X: unit[1:] + " in the array", Y: "µs"}
			for _, peer := range []string{result.C, result.Cairn} {
				l := chart.Line{Name: peer, Color: colorOf(peer)}
				for _, m := range of {
					if t, ok := m.Seconds(peer); ok {
						l.X, l.Y = append(l.X, float64(m.Count)), append(l.Y, t*1e6)
					}
				}
				if notEmpty(l) {
					panel.Lines = append(panel.Lines, l)
				}
			}
			if len(panel.Lines) > 0 {
				row = append(row, panel)
			}
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return chart.Lines(dir, "extent", rows)
}
