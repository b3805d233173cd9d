package result

import (
	"fmt"
	"math"
)

// A Group is the ratios of cairn to C over several measures: geometric means, and the array for
// which each is worst.
type Group struct {
	Speed, Size Average
	Samples     int
}

// An Average is a geometric mean over measures. Worst is that of the measures of one array, On.
type Average struct {
	Mean, Worst float64 // NaN without values
	On          string
}

// GroupOf averages the measures that have both peers.
func GroupOf(measures []*Measure, peer, base string) Group {
	speed := func(m *Measure) (float64, bool) {
		r, ok := m.Ratio(peer, base)
		return r.Median, ok
	}
	g := Group{}
	g.Speed, g.Samples = average(measures, byArray, speed)
	g.Size, _ = average(measures, byArray, func(m *Measure) (float64, bool) {
		s, ok := m.SizeRatio(peer, base)
		return 1 / s, ok // the worst is the lowest, as for speeds
	})
	g.Size.Mean = 1 / g.Size.Mean
	g.Size.Worst = 1 / g.Size.Worst
	return g
}

func byArray(m *Measure) string { return m.Data }

// average averages the values of measures that have one, and counts them. The worst is that of the
// measures with one key.
func average(
	measures []*Measure, by func(*Measure) string, value func(*Measure) (float64, bool),
) (a Average, samples int) {
	var all []float64
	a.Worst = math.NaN()
	keys, of := grouped(measures, by)
	for _, key := range keys {
		var here []float64
		for _, m := range of[key] {
			if v, ok := value(m); ok {
				here = append(here, v)
			}
		}
		if mean := GeoMean(here); a.On == "" && len(here) > 0 || mean < a.Worst {
			a.Worst = mean
			a.On = key
		}
		all = append(all, here...)
	}
	a.Mean = GeoMean(all)
	return a, len(all)
}

// A Mean is the group of an operation with one choice of parameters.
type Mean struct {
	Op, Codec, Filter string
	Level, Threads    int // -1 stands for all
	Group
}

// Means groups the measures with a codec over data sets, and then also over filters, levels and
// threads.
func Means(measures []*Measure) []Mean {
	var with []*Measure
	for _, m := range measures {
		if _, ok := m.Ratio(Cairn, C); ok && m.Codec != "" && m.Count == 0 {
			with = append(with, m)
		}
	}
	means := meansBy(with, func(m *Measure) Mean {
		return Mean{Op: m.Op, Codec: m.Codec, Filter: m.Filter, Level: m.Level, Threads: m.Threads}
	})
	return append(means, meansBy(with, func(m *Measure) Mean {
		return Mean{Op: m.Op, Codec: m.Codec, Filter: "all", Level: -1, Threads: -1}
	})...)
}

func meansBy(measures []*Measure, key func(*Measure) Mean) []Mean {
	means, of := grouped(measures, key)
	for i, k := range means {
		means[i].Group = GroupOf(of[k], Cairn, C)
	}
	return means
}

func meanRows(means []Mean) [][]string {
	rows := [][]string{{
		"codec", "level", "filter", "threads", "operation", "ratio", "worst", "on", "size", "worst", "on", "of"}}
	number := func(n int) string {
		if n < 0 {
			return "all"
		}
		return fmt.Sprint(n)
	}
	for _, m := range means {
		row := []string{m.Codec, number(m.Level), m.Filter, number(m.Threads), m.Op}
		row = append(row, m.Speed.cells("%.2f")...)
		row = append(row, m.Size.cells("%.3f")...)
		rows = append(rows, append(row, fmt.Sprint(m.Samples)))
	}
	return rows
}

// cells returns the mean, the worst and its array, all empty without values.
func (a Average) cells(format string) []string {
	if math.IsNaN(a.Mean) {
		return []string{"", "", ""}
	}
	return []string{fmt.Sprintf(format, a.Mean), fmt.Sprintf(format, a.Worst), a.On}
}
