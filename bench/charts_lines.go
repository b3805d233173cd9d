package main

import (
	"fmt"

	"github.com/cairn-go/cairn/bench/chart"
	"github.com/cairn-go/cairn/bench/result"
)

// drawAppends draws the cost of an append, and of opening, against the number of chunks.
func drawAppends(r *result.Report, dir string) error {
	var row []chart.Panel
	for _, place := range []string{"memory", "disk"} {
		for _, op := range []string{"append", "append and commit", "open"} {
			of := only(only(r.Measures, isOp("append", op)), func(m *result.Measure) bool { return m.Place == place })
			if len(of) == 0 {
				continue
			}

			panel := chart.Panel{Title: op + ", " + place, X: "chunks there are", Y: "µs"}
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

			row = append(row, panel)
		}
	}

	if len(row) == 0 {
		return nil
	}
	return chart.Lines(dir, "append", [][]chart.Panel{row})
}

// drawLevels draws, for every data set and filter, the size and speed of each level of each codec:
// one column per codec, compression above decompression.
func drawLevels(r *result.Report, dir string) error {
	for _, set := range result.DataSets(r.Of("levels")) {
		for _, filter := range []string{"none", "shuffle", "bitshuffle"} {
			all := only(r.Of("levels"), func(m *result.Measure) bool { return m.Data == set && m.Filter == filter })
			if len(all) == 0 {
				continue
			}
			if err := chart.Lines(dir, "levels-"+set+"-"+filter, levelPanels(all, set, filter)); err != nil {
				return err
			}
		}
	}
	return nil
}

func levelPanels(all []*result.Measure, set, filter string) [][]chart.Panel {
	rows := make([][]chart.Panel, 2)
	for _, codec := range result.Codecs(all) {
		for i, op := range []string{"compress", "decompress"} {
			panel := chart.Panel{Title: codec + ", " + filter + ", " + op, X: "size, % of " + set, Y: "MB/s", LinearX: true}
			for _, peer := range []string{result.C, result.Cairn} {
				if l := levelLine(only(all, func(m *result.Measure) bool { return m.Codec == codec && m.Op == op }), peer); notEmpty(l) {
					panel.Lines = append(panel.Lines, l)
				}
			}
			rows[i] = append(rows[i], panel)
		}
	}
	return rows
}

func levelLine(measures []*result.Measure, peer string) chart.Line {
	l := chart.Line{Name: peer, Color: colorOf(peer)}
	for _, m := range measures {
		v, ok := m.Speed(peer)
		if !ok {
			continue
		}
		l.X = append(l.X, 100*float64(m.Side(peer).Size)/float64(m.Bytes))
		l.Y = append(l.Y, v)
		l.Labels = append(l.Labels, fmt.Sprint(m.Level))
	}
	return l
}
