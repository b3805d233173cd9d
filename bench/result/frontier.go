package result

import (
	"fmt"
	"slices"
	"strings"
)

// A Frontier compares each level of C with the fastest level of cairn, of any number, whose output
// is not larger.
type Frontier struct {
	Combination
	Levels []int     // of C
	Ratios []float64 // for each of Levels: the speed of cairn's level divided by C's
	None   []int     // levels of C whose output is smaller than that of all levels of cairn
}

// A Combination holds the parameters that the levels of a frontier share.
type Combination struct{ Data, Codec, Filter, Op string }

func combination(m *Measure) Combination { return Combination{m.Data, m.Codec, m.Filter, m.Op} }

// sameSize is the size ratio up to which cairn's output counts as not larger, to allow for headers
// and for other choices of matches.
const sameSize = 1.01

// Frontiers groups measures by everything but the level.
func Frontiers(measures []*Measure) []Frontier {
	order, groups := grouped(measures, combination)
	var out []Frontier
	for _, k := range order {
		f := Frontier{Combination: k}
		for _, m := range groups[k] {
			if ratio, ok := instead(m, groups[k]); ok {
				f.Levels = append(f.Levels, m.Level)
				f.Ratios = append(f.Ratios, ratio)
			} else {
				f.None = append(f.None, m.Level)
			}
		}
		out = append(out, f)
	}
	return out
}

// instead returns the speed of cairn's fastest level that replaces C's m, divided by m's, or false
// if there is none.
func instead(m *Measure, all []*Measure) (float64, bool) {
	speed, ok := m.Speed(C)
	if !ok {
		return 0, false
	}
	best := 0.0
	for _, other := range all {
		if ours := other.Side(Cairn); ours != nil && float64(ours.Size) <= sameSize*float64(m.Side(C).Size) {
			v, _ := other.Speed(Cairn)
			best = max(best, v)
		}
	}
	return best / speed, best > 0
}

// frontierRows returns a table of all frontiers: the mean over levels, and the level with the
// lowest ratio.
func frontierRows(all []Frontier) [][]string {
	rows := [][]string{{"data", "codec", "filter", "operation", "mean", "worst", "at level", "C's levels that nothing is as small as"}}
	for _, f := range all {
		if len(f.Ratios) == 0 {
			rows = append(rows, []string{f.Data, f.Codec, f.Filter, f.Op, "-", "-", "-", list(f.None)})
			continue
		}
		worst := slices.Min(f.Ratios)
		at := f.Levels[slices.Index(f.Ratios, worst)]
		rows = append(rows, []string{f.Data, f.Codec, f.Filter, f.Op, fmt.Sprintf("%.2f", GeoMean(f.Ratios)), fmt.Sprintf("%.2f", worst), fmt.Sprint(at), list(f.None)})
	}
	return rows
}

func list(levels []int) string {
	return strings.Trim(fmt.Sprint(levels), "[]")
}

// sizeRows returns a table of the sizes of all levels: a row for each data set, codec and filter, a
// column for each level.
func sizeRows(measures []*Measure) [][]string {
	rows := [][]string{{"data", "codec", "filter", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}
	order, groups := grouped(measures, combination)
	for _, k := range order {
		if k.Op != "compress" {
			continue
		}
		row := append([]string{k.Data, k.Codec, k.Filter}, make([]string, 9)...)
		for _, m := range groups[k] {
			if ratio, ok := m.SizeRatio(Cairn, C); ok && m.Level > 0 && m.Level < 10 {
				row[2+m.Level] = fmt.Sprintf("%.3f", ratio)
			}
		}
		rows = append(rows, row)
	}
	return rows
}
