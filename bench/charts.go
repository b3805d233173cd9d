package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/cairn-go/cairn/bench/chart"
	"github.com/cairn-go/cairn/bench/result"
)

// drawAll draws a chart for every workload in the report.
func drawAll(r *result.Report, dir string) error {
	for _, draw := range []func(*result.Report, string) error{
		drawRatios, drawSpeeds, drawFilters, drawArrays, drawUsers, drawAppends, drawLevels,
	} {
		if err := draw(r, dir); err != nil {
			return err
		}
	}
	return nil
}

// colorOf gives every peer the same colour in all charts.
func colorOf(peer string) int {
	colours := []string{result.C, result.Cairn, result.Python, result.Plain, result.Zarr, result.Memcpy,
		result.HDF5, result.TensorStore, result.Zarrs}
	for i, p := range colours {
		if p == peer {
			return i
		}
	}
	return 0
}

// meanOf returns the geometric mean of value over the measures for which it reports true, or NaN if
// there are none.
func meanOf(measures []*result.Measure, value func(*result.Measure) (float64, bool)) float64 {
	var all []float64
	for _, m := range measures {
		if v, ok := value(m); ok {
			all = append(all, v)
		}
	}
	return result.GeoMean(all)
}

// only returns the measures that meet a condition.
func only(measures []*result.Measure, meets condition) []*result.Measure {
	var out []*result.Measure
	for _, m := range measures {
		if meets(m) {
			out = append(out, m)
		}
	}
	return out
}

// withoutExtra removes combinations without all peers: libraries without Blosc have neither bit
// shuffle nor threads.
func withoutExtra(measures []*result.Measure) []*result.Measure {
	plain := only(measures, func(m *result.Measure) bool { return m.Filter == "shuffle" && m.Threads == 1 })
	if len(plain) == 0 {
		return measures
	}
	return plain
}

// drawRatios draws the speed relative to C by codec, one panel per operation and number of threads.
func drawRatios(r *result.Report, dir string) error {
	for _, workload := range []string{"frames", "codecs"} {
		var groups []chart.Group
		all := r.Of(workload)
		for _, op := range result.Ops(all) {
			g := chart.Group{Title: workload + ": " + op + ", against C-Blosc2", Categories: result.Codecs(all)}
			of := only(all, isOp(workload, op))
			for i, kind := range kinds(of) {
				s := chart.Series{Name: kind, Color: i + 1}
				for _, codec := range g.Categories {
					s.Values = append(s.Values, meanOf(only(of, func(m *result.Measure) bool { return m.Codec == codec && kindOf(m) == kind }), ratioToC))
				}
				g.Series = append(g.Series, s)
			}
			groups = append(groups, g)
		}
		if len(groups) == 0 {
			continue
		}
		if err := chart.Bars(dir, "ratio-"+workload, "speed, C-Blosc2 = 1", false, 1, groups...); err != nil {
			return err
		}
	}
	return nil
}

func ratioToC(m *result.Measure) (float64, bool) {
	s, ok := m.Ratio(result.Cairn, result.C)
	return s.Median, ok
}

// kindOf returns the name that distinguishes the bars of one codec.
func kindOf(m *result.Measure) string {
	if m.Filter == "" {
		return fmt.Sprintf("level %d", m.Level)
	}
	return fmt.Sprintf("%s, %d thr", m.Filter, m.Threads)
}

func kinds(measures []*result.Measure) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range measures {
		if k := kindOf(m); !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// drawSpeeds draws the speed of all peers by codec.
func drawSpeeds(r *result.Report, dir string) error {
	all := withoutExtra(only(r.Of("frames"), notArange))
	if len(all) == 0 {
		return nil
	}
	var groups []chart.Group
	for _, op := range result.Ops(all) {
		of := only(all, isOp("frames", op))
		groups = append(groups, peerGroup("frames: "+op+", one thread", of, result.Codecs(all), func(m *result.Measure) string { return m.Codec },
			func(m *result.Measure, peer string) (float64, bool) { return m.Speed(peer) }))
	}
	return chart.Bars(dir, "speed-frames", "MB/s", true, 0, groups...)
}

// peerGroup makes a panel with a bar for every peer in each category.
func peerGroup(title string, measures []*result.Measure, categories []string, of func(*result.Measure) string, value func(*result.Measure, string) (float64, bool)) chart.Group {
	g := chart.Group{Title: title, Categories: categories}
	for _, peer := range result.Peers(measures) {
		s := chart.Series{Name: peer, Color: colorOf(peer)}
		for _, c := range categories {
			s.Values = append(s.Values, meanOf(only(measures, func(m *result.Measure) bool { return of(m) == c }),
				func(m *result.Measure) (float64, bool) { return value(m, peer) }))
		}
		g.Series = append(g.Series, s)
	}
	return g
}

// drawFilters draws the speed of filters in GB/s.
func drawFilters(r *result.Report, dir string) error {
	var groups []chart.Group
	for _, filter := range []string{"shuffle", "bitshuffle"} {
		for _, op := range []string{"forward", "back"} {
			of := only(only(r.Measures, isOp("filters", op)), func(m *result.Measure) bool { return m.Filter == filter })
			if len(of) == 0 {
				continue
			}
			groups = append(groups, peerGroup(filter+" "+op, of, []string{"2", "4", "8", "16"}, func(m *result.Measure) string { return fmt.Sprint(m.TypeSize) },
				func(m *result.Measure, peer string) (float64, bool) {
					v, ok := m.Speed(peer)
					return v / 1000, ok
				}))
		}
	}
	if len(groups) == 0 {
		return nil
	}
	return chart.Bars(dir, "filters", "GB/s by type size", false, 0, groups...)
}

// drawArrays draws the time of array operations in memory in µs, one panel per codec.
func drawArrays(r *result.Report, dir string) error {
	all := only(r.Of("arrays"), func(m *result.Measure) bool { return m.Place == "memory" && m.Threads == 1 })
	if len(all) == 0 {
		return nil
	}
	var groups []chart.Group
	for _, codec := range result.Codecs(all) {
		g := peerGroup("arrays, "+codec+", one thread", only(all, isCodec(codec)), result.Ops(all),
			func(m *result.Measure) string { return m.Op },
			func(m *result.Measure, peer string) (float64, bool) {
				t, ok := m.Seconds(peer)
				return t * 1e6, ok
			})
		for i, op := range g.Categories {
			g.Categories[i] = strings.Replace(op, "plane along axis", "plane", 1)
		}
		groups = append(groups, g)
	}
	return chart.Bars(dir, "arrays", "µs for one operation", true, 0, groups...)
}

// notEmpty reports whether a line has points, and all of them can be drawn on a logarithmic axis.
func notEmpty(l chart.Line) bool {
	for _, v := range l.Y {
		if math.IsNaN(v) || v <= 0 {
			return false
		}
	}
	return len(l.X) > 0
}
