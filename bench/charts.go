package main

import (
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/chart"
	"github.com/cairn-go/cairn/bench/result"
)

// A task is a row of a chart: operations in plain words.
type task struct{ text, op string }

// userTasks are those of the workload users, whose chart is for readers who know nothing of the
// others. The task of planes covers all axes.
var userTasks = []task{
	{"write a whole array", "write whole"},
	{"read it", "read whole"},
	{"read a plane", "plane"},
	{"read a box", "read box"},
	{"read one item", "point"},
	{"change a box, and commit", "write box, commit"},
	{"append rows one by one", "append rows"},
}

func (t task) has(m *result.Measure) bool {
	return m.Op == t.op || t.op == "plane" && strings.HasPrefix(m.Op, t.op)
}

// drawAll draws a chart for every workload in the report: how long each peer takes for its
// operations, in times of cairn, as the mean over arrays and parameters;
// and the summary.
func drawAll(r *result.Report, dir string) error {
	for _, workload := range r.Workloads() {
		all := r.Of(workload)
		tasks := userTasks
		if workload != "users" {
			tasks = nil
			for _, op := range result.Ops(all) {
				tasks = append(tasks, task{op, op})
			}
		}

		g := chart.Group{Title: "Time taken, where cairn takes 1: further right is slower"}
		for _, t := range tasks {
			g.Categories = append(g.Categories, t.text)
		}
		for _, peer := range result.Peers(all) {
			if peer != result.Cairn && peer != result.Memcpy {
				g.Series = append(g.Series, timesOf(peer, all, tasks))
			}
		}

		if err := chart.Dots(dir, workload, "times as long as cairn (logarithmic)", g); err != nil {
			return err
		}
	}
	return writeSummary(r, dir)
}

// timesOf returns how many times as long as cairn a peer takes for each task.
func timesOf(peer string, measures []*result.Measure, tasks []task) chart.Series {
	s := chart.Series{Name: peer, Color: max(0, slices.Index(result.Names(), peer))}
	for _, task := range tasks {
		var ratios []float64
		for _, m := range measures {
			if !task.has(m) {
				continue
			}
			if ratio, ok := m.Ratio(result.Cairn, peer); ok {
				ratios = append(ratios, ratio.Median)
			}
		}
		s.Values = append(s.Values, result.GeoMean(ratios))
	}
	return s
}
