package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/chart"
	"github.com/cairn-go/cairn/bench/result"
)

// A summaryRow is a line of the summary: the measures of a question, and whom cairn is compared
// with, the fastest other if empty.
type summaryRow struct {
	text string
	is   condition
	base string
}

// summaryRows returns the questions that users have.
func summaryRows() []summaryRow {
	var out []summaryRow
	for _, codec := range []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"} {
		for _, op := range []string{"compress", "decompress"} {
			is := all([]condition{isOp("frames", op), isCodec(codec)})
			out = append(out, summaryRow{op + ", " + codec, is, result.C})
		}
	}
	for _, t := range userTasks {
		is := func(m *result.Measure) bool { return m.Workload == "users" && t.has(m) }
		out = append(out, summaryRow{t.text, is, ""})
	}
	for _, format := range []struct{ name, text string }{{"zarr", "Zarr"}, {"hdf5", "HDF5"}} {
		whole := isOp(format.name, "read whole")
		parts := func(m *result.Measure) bool { return m.Workload == format.name && !whole(m) }
		out = append(out, summaryRow{format.text + ", whole", whole, ""},
			summaryRow{format.text + ", parts", parts, ""})
	}
	return out
}

// summarize returns the distributions over arrays of the questions that the report answers.
func summarize(r *result.Report) []result.Distribution {
	var out []result.Distribution
	for _, row := range summaryRows() {
		d := result.DistributionOf(row.text, r.Select(row.is), row.base)
		if len(d.Arrays) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// summarizeFiles writes the summary of several runs, whose rounds are in files.
func summarizeFiles(paths []string, dir string) error {
	r := &result.Report{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		measures, err := result.ParseCSV(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.Measures = append(r.Measures, measures...)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return writeSummary(r, dir)
}

// writeSummary writes the table and the chart of the distributions.
func writeSummary(r *result.Report, dir string) error {
	distributions := summarize(r)
	if len(distributions) == 0 {
		return nil
	}

	g := chart.Group{Title: "Speed of cairn where the other has 1: right of the line it is faster"}
	most := 0
	for _, d := range distributions {
		g.Categories = append(g.Categories, d.Text)
		most = max(most, len(d.Ratios))
	}
	color := slices.Index(result.Names(), result.Cairn)
	for i := range most {
		g.Series = append(g.Series, chart.Series{Values: column(distributions, i), Color: color})
	}
	means := chart.Series{Name: "mean, and a small dot for each array", Color: 2}
	for _, d := range distributions {
		means.Values = append(means.Values, result.GeoMean(d.Ratios))
	}
	g.Series = append(g.Series, means)

	if err := chart.Dots(dir, "summary", "times as fast as C-Blosc2; arrays: as the fastest other (logarithmic)", g); err != nil {
		return err
	}
	table := strings.TrimSpace(result.DistributionTable(distributions)) + "\n"
	return os.WriteFile(filepath.Join(dir, "summary.md"), []byte(table), 0o666)
}

// column returns the ratio of the array number i of each distribution, NaN where there is none.
func column(distributions []result.Distribution, i int) []float64 {
	var out []float64
	for _, d := range distributions {
		v := math.NaN()
		if i < len(d.Ratios) {
			v = d.Ratios[i]
		}
		out = append(out, v)
	}
	return out
}
