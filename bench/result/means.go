package result

import (
	"fmt"
	"math"
)

// A Mean is the geometric mean of the ratios of cairn to C over several measures.
type Mean struct {
	Op, Codec, Filter string
	Level, Threads    int // -1 stands for all
	Ratio, Size       float64
	Samples           int
}

// Means averages the measures with a codec over data sets, and then also over filters, levels and
// threads.
func Means(measures []*Measure) []Mean {
	means := grouped(measures, func(m *Measure) Mean {
		return Mean{Op: m.Op, Codec: m.Codec, Filter: m.Filter, Level: m.Level, Threads: m.Threads}
	})
	all := grouped(measures, func(m *Measure) Mean { return Mean{Op: m.Op, Codec: m.Codec, Filter: "all", Level: -1, Threads: -1} })
	return append(means, all...)
}

func grouped(measures []*Measure, key func(*Measure) Mean) []Mean {
	type values struct{ ratios, sizes []float64 }
	groups := map[Mean]*values{}
	var order []Mean
	for _, m := range measures {
		r, ok := m.Ratio(Cairn, C)
		if !ok || m.Codec == "" || m.Count > 0 {
			continue
		}
		k := key(m)
		if groups[k] == nil {
			groups[k] = &values{}
			order = append(order, k)
		}
		groups[k].ratios = append(groups[k].ratios, r.Median)
		if s, ok := m.SizeRatio(Cairn, C); ok {
			groups[k].sizes = append(groups[k].sizes, s)
		}
	}
	var out []Mean
	for _, k := range order {
		v := groups[k]
		k.Ratio, k.Size, k.Samples = GeoMean(v.ratios), GeoMean(v.sizes), len(v.ratios)
		out = append(out, k)
	}
	return out
}

func meanRows(means []Mean) [][]string {
	rows := [][]string{{"codec", "level", "filter", "threads", "operation", "ratio", "size", "of"}}
	number := func(n int) string {
		if n < 0 {
			return "all"
		}
		return fmt.Sprint(n)
	}
	for _, m := range means {
		size := ""
		if !math.IsNaN(m.Size) {
			size = fmt.Sprintf("%.3f", m.Size)
		}
		rows = append(rows, []string{m.Codec, number(m.Level), m.Filter, number(m.Threads), m.Op, fmt.Sprintf("%.2f", m.Ratio), size, fmt.Sprint(m.Samples)})
	}
	return rows
}
