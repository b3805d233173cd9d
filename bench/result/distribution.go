package result

import (
	"fmt"
	"slices"
)

// A Distribution is how many times as fast as another cairn is, for each array: the geometric mean
// over the measures of the array.
type Distribution struct {
	Text   string
	Arrays []string  // the slowest first
	Ratios []float64 // for each of Arrays
}

// DistributionOf compares cairn with a peer, or with the fastest other of each measure if base is
// empty.
func DistributionOf(text string, measures []*Measure, base string) Distribution {
	d := Distribution{Text: text}
	arrays, of := grouped(measures, byArray)
	mean := map[string]float64{}
	for _, array := range arrays {
		var all []float64
		for _, m := range of[array] {
			ratio, ok := m.Ratio(Cairn, base)
			value := ratio.Median
			if base == "" {
				_, value, ok = m.Fastest()
			}
			if ok {
				all = append(all, value)
			}
		}
		if len(all) > 0 {
			mean[array] = GeoMean(all)
			d.Arrays = append(d.Arrays, array)
		}
	}

	slices.SortStableFunc(d.Arrays, func(a, b string) int {
		if mean[a] < mean[b] {
			return -1
		}
		return 1
	})
	for _, array := range d.Arrays {
		d.Ratios = append(d.Ratios, mean[array])
	}
	return d
}

// Quartile returns the ratio below which a part of the arrays is: the worst for 0, the median for
// 0.5.
func (d Distribution) Quartile(part float64) float64 {
	return d.Ratios[int(part*float64(len(d.Ratios)-1)+0.5)]
}

// DistributionTable renders distributions in Markdown: a line for each.
func DistributionTable(all []Distribution) string {
	text := "| | mean | worst | on | quarter | median | three quarters | best | arrays |\n" +
		"|---|---:|---:|---|---:|---:|---:|---:|---:|\n"
	for _, d := range all {
		text += fmt.Sprintf("| %s | %.2f | %.2f | %s | %.2f | %.2f | %.2f | %.2f | %d |\n", d.Text,
			GeoMean(d.Ratios), d.Ratios[0], d.Arrays[0], d.Quartile(0.25), d.Quartile(0.5),
			d.Quartile(0.75), d.Quartile(1), len(d.Ratios))
	}
	return text
}
