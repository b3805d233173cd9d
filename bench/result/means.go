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
	var speeds, sizes values
	for _, m := range measures {
		r, ok := m.Ratio(peer, base)
		if !ok {
			continue
		}
		speeds.add(m.Data, r.Median)
		if s, ok := m.SizeRatio(peer, base); ok {
			sizes.add(m.Data, 1/s) // the worst is the lowest, as for speeds
		}
	}
	g := Group{Speed: speeds.average(), Size: sizes.average(), Samples: len(speeds.all)}
	g.Size.Mean, g.Size.Worst = 1/g.Size.Mean, 1/g.Size.Worst
	return g
}

// values are ratios, together and by array.
type values struct {
	all    []float64
	arrays []string
	of     map[string][]float64
}

func (v *values) add(array string, ratio float64) {
	if v.of == nil {
		v.of = map[string][]float64{}
	}
	if v.of[array] == nil {
		v.arrays = append(v.arrays, array)
	}
	v.of[array], v.all = append(v.of[array], ratio), append(v.all, ratio)
}

func (v *values) average() Average {
	a := Average{Mean: GeoMean(v.all), Worst: math.NaN()}
	for _, array := range v.arrays {
		if mean := GeoMean(v.of[array]); a.On == "" || mean < a.Worst {
			a.Worst, a.On = mean, array
		}
	}
	return a
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
	means := grouped(measures, func(m *Measure) Mean {
		return Mean{Op: m.Op, Codec: m.Codec, Filter: m.Filter, Level: m.Level, Threads: m.Threads}
	})
	all := grouped(measures, func(m *Measure) Mean { return Mean{Op: m.Op, Codec: m.Codec, Filter: "all", Level: -1, Threads: -1} })
	return append(means, all...)
}

func grouped(measures []*Measure, key func(*Measure) Mean) []Mean {
	groups := map[Mean][]*Measure{}
	var order []Mean
	for _, m := range measures {
		if _, ok := m.Ratio(Cairn, C); !ok || m.Codec == "" || m.Count > 0 {
			continue
		}
		k := key(m)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], m)
	}
	var out []Mean
	for _, k := range order {
		mean := k
		mean.Group = GroupOf(groups[k], Cairn, C)
		out = append(out, mean)
	}
	return out
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
