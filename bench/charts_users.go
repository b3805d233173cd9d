package main

import (
	"strings"

	"github.com/cairn-go/cairn/bench/chart"
	"github.com/cairn-go/cairn/bench/result"
)

// userTasks are the operations of the workload users in plain words. The task of planes covers all
// axes.
var userTasks = []struct{ text, op string }{
	{"write a whole array", "write whole"},
	{"read it", "read whole"},
	{"read a plane", "plane"},
	{"read a box", "read box"},
	{"read one item", "point"},
	{"change a box, and commit", "write box, commit"},
	{"append rows one by one", "append rows"},
}

// drawUsers draws how long each library takes for the tasks of the workload users, in times of
// cairn: means over arrays, codecs and numbers of threads.
func drawUsers(r *result.Report, dir string) error {
	all := r.Of("users")
	if len(all) == 0 {
		return nil
	}
	g := chart.Group{Title: "Time taken, where cairn takes 1: further right is slower"}
	for _, peer := range result.Peers(all) {
		if peer == result.Cairn || peer == result.Memcpy {
			continue
		}
		s := chart.Series{Name: peer, Color: colorOf(peer)}
		for _, task := range userTasks {
			measures := only(all, func(m *result.Measure) bool {
				return m.Op == task.op || task.op == "plane" && strings.HasPrefix(m.Op, task.op)
			})
			s.Values = append(s.Values, meanOf(measures, func(m *result.Measure) (float64, bool) {
				ratio, ok := m.Ratio(result.Cairn, peer)
				return ratio.Median, ok
			}))
		}
		g.Series = append(g.Series, s)
	}
	for _, task := range userTasks {
		g.Categories = append(g.Categories, task.text)
	}
	return chart.Dots(dir, "users", "times as long as cairn (logarithmic)", g)
}
