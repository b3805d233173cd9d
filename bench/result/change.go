package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// slowerBelow is the ratio of times, old to new, below which a group counts as slower.
const slowerBelow = 0.97

// A Change compares the runs of two versions over a group of measures.
type Change struct {
	Group string
	Rows  int
	Speed Spread  // the time of the old version divided by the new one's, over pairs of runs
	Equal float64 // the time of a run divided by that of another of the same version, at most
	Size  float64 // what the old version wrote divided by what the new one did; NaN without sizes
}

// Slower reports whether the new version is slower by more than equal versions differ.
func (c Change) Slower() bool {
	return c.Speed.Median < slowerBelow && c.Speed.Median*c.Equal < 1
}

// Changes compares runs of an old version with as many of a new one, the first with the first and
// so on, by groups of measures that all runs have. The slowest group comes first.
func Changes(old, now [][]*Measure) []Change {
	var runs []map[string]*Measure
	for _, run := range slices.Concat(old, now) {
		of := map[string]*Measure{}
		for _, m := range run {
			if m.Side(Cairn) != nil {
				of[m.id()] = m
			}
		}
		runs = append(runs, of)
	}

	shared := slices.DeleteFunc(slices.Clone(old[0]), func(m *Measure) bool {
		lacks := func(of map[string]*Measure) bool { return of[m.id()] == nil }
		return slices.ContainsFunc(runs, lacks)
	})

	var out []Change
	names, groups := grouped(shared, (*Measure).group)
	for _, name := range names {
		out = append(out, changeOf(name, groups[name], runs))
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		return cmp.Compare(a.Speed.Median, b.Speed.Median)
	})
	return out
}

// group names what the report averages: a workload, an operation, a place, a codec and a number of
// threads, over data, filters and levels. Measures of filters have no codec.
func (m *Measure) group() string {
	parts := []string{m.Workload, m.Op, m.Place, m.Codec}
	if m.Codec == "" {
		parts = append(parts, m.Filter)
	}
	parts = append(parts, fmt.Sprintf("%d thr", m.Threads))
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// changeOf compares one group. The first half of the runs are the old version's.
func changeOf(name string, measures []*Measure, runs []map[string]*Measure) Change {
	pairs := len(runs) / 2
	means := make([]float64, len(runs)) // logarithms of geometric means of times
	var sizes []float64

	for _, m := range measures {
		var same []*Measure
		for _, of := range runs {
			same = append(same, of[m.id()])
		}
		for i, t := range timesOf(same) {
			means[i] += math.Log(t) / float64(len(measures))
		}

		before := same[0].Side(Cairn).Size
		after := same[pairs].Side(Cairn).Size
		if before > 0 && after > 0 {
			sizes = append(sizes, float64(before)/float64(after))
		}
	}

	var ratios []float64
	for i := range pairs {
		ratios = append(ratios, math.Exp(means[i]-means[pairs+i]))
	}
	apart := 0.0
	for _, equal := range [][]float64{means[:pairs], means[pairs:]} {
		apart = max(apart, slices.Max(equal)-slices.Min(equal))
	}
	return Change{Group: name, Rows: len(measures), Speed: SpreadOf(ratios), Equal: math.Exp(apart),
		Size: GeoMean(sizes)}
}

// timesOf returns a time of each run for the same measure. Where all runs have C's, it is the
// median of cairn's divided by C's in the same round, so that other load on the machine cancels
// out; else cairn's fastest round.
func timesOf(same []*Measure) []float64 {
	alone := slices.ContainsFunc(same, func(m *Measure) bool {
		// then both sides are times of this cairn, that read what C and cairn wrote
		reads := m.Workload == "readers" && strings.HasPrefix(m.Op, Cairn)
		return reads || m.Side(C) == nil
	})

	var out []float64
	for _, m := range same {
		if alone {
			out = append(out, slices.Min(m.Side(Cairn).Seconds))
			continue
		}
		ratio, _ := m.Ratio(C, Cairn)
		out = append(out, ratio.Median)
	}
	return out
}

// ChangeText renders a comparison of two versions for people.
func ChangeText(changes []Change) string {
	var b strings.Builder
	b.WriteString(changeNotes + "\n")

	rows := [][]string{{"group", "rows", "old / new", "pairs", "equal", "size", ""}}
	slower := 0
	for _, c := range changes {
		verdict := ""
		switch {
		case c.Slower():
			verdict = "SLOWER"
			slower++
		case c.Speed.Median < slowerBelow:
			verdict = "within the noise"
		}
		size := ""
		if !math.IsNaN(c.Size) {
			size = fmt.Sprintf("%.3f", c.Size)
		}
		rows = append(rows, []string{c.Group, fmt.Sprint(c.Rows),
			fmt.Sprintf("%.3f", c.Speed.Median),
			fmt.Sprintf("%.3f-%.3f", c.Speed.Low, c.Speed.High),
			fmt.Sprintf("%.3f", c.Equal), size, verdict})
	}
	writeTable(&b, rows)

	fmt.Fprintf(&b, "\n%d of %d groups are slower: below %v, by more than runs of equal versions differ\n",
		slower, len(changes), slowerBelow)
	return b.String()
}

const changeNotes = `old / new: the time of the old version divided by the new one's, below 1 where the new one is slower:
the median over pairs of runs, and the lowest and highest pair. equal: the largest such ratio of two
runs of the same version. size: what the old version wrote divided by what the new one did.
`
