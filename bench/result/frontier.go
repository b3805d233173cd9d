package result

import (
	"fmt"
	"slices"
	"strings"
)

// A Frontier compares the levels of one codec on one data set with those of C, whatever number a level has: what counts is what size is
// had at what speed.
type Frontier struct {
	Combination
	Levels []int
	// Ratios has for each of Levels the speed of cairn divided by that of C's fastest level whose output is not larger. Levels at which
	// cairn's output is smaller than any of C's have nothing to be compared with and are in Smaller.
	Ratios  []float64
	Smaller []int
}

// A Combination is what the levels of a frontier have in common.
type Combination struct{ Data, Codec, Filter, Op string }

// sameSize is what C's output may be larger and still count as no larger: headers, and streams in which another match was taken.
const sameSize = 1.01

// Frontiers groups measures by everything but the level.
func Frontiers(measures []*Measure) []Frontier {
	groups := map[Combination][]*Measure{}
	var order []Combination
	for _, m := range measures {
		k := Combination{m.Data, m.Codec, m.Filter, m.Op}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], m)
	}
	var out []Frontier
	for _, k := range order {
		f := Frontier{Combination: k}
		for _, m := range groups[k] {
			if ratio, ok := againstC(m, groups[k]); ok {
				f.Levels, f.Ratios = append(f.Levels, m.Level), append(f.Ratios, ratio)
			} else {
				f.Smaller = append(f.Smaller, m.Level)
			}
		}
		out = append(out, f)
	}
	return out
}

// againstC returns cairn's speed divided by the best of C's with a size that is not larger, or false if there is none.
func againstC(m *Measure, all []*Measure) (float64, bool) {
	speed, ok := m.Speed(Cairn)
	if !ok {
		return 0, false
	}
	best := 0.0
	for _, other := range all {
		if c := other.Side(C); c != nil && float64(c.Size) <= sameSize*float64(m.Side(Cairn).Size) {
			v, _ := other.Speed(C)
			best = max(best, v)
		}
	}
	return speed / best, best > 0
}

// frontierRows is a table of all frontiers: the mean over levels, and where cairn is furthest below C.
func frontierRows(all []Frontier) [][]string {
	rows := [][]string{{"data", "codec", "filter", "operation", "mean", "worst", "at level", "levels smaller than any of C's"}}
	for _, f := range all {
		if len(f.Ratios) == 0 {
			rows = append(rows, []string{f.Data, f.Codec, f.Filter, f.Op, "-", "-", "-", list(f.Smaller)})
			continue
		}
		worst := slices.Min(f.Ratios)
		at := f.Levels[slices.Index(f.Ratios, worst)]
		rows = append(rows, []string{f.Data, f.Codec, f.Filter, f.Op, fmt.Sprintf("%.2f", GeoMean(f.Ratios)), fmt.Sprintf("%.2f", worst), fmt.Sprint(at), list(f.Smaller)})
	}
	return rows
}

func list(levels []int) string {
	return strings.Trim(fmt.Sprint(levels), "[]")
}

// sizeRows is a table of the sizes of all levels: a row for each data set, codec and filter, a column for each level.
func sizeRows(measures []*Measure) [][]string {
	rows := [][]string{{"data", "codec", "filter", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}
	index := map[Combination]int{}
	for _, m := range measures {
		ratio, ok := m.SizeRatio(Cairn, C)
		if !ok || m.Op != "compress" || m.Level < 1 || m.Level > 9 {
			continue
		}
		k := Combination{m.Data, m.Codec, m.Filter, m.Op}
		at, seen := index[k]
		if !seen {
			at = len(rows)
			index[k] = at
			rows = append(rows, append([]string{m.Data, m.Codec, m.Filter}, make([]string, 9)...))
		}
		rows[at][2+m.Level] = fmt.Sprintf("%.3f", ratio)
	}
	return rows
}
