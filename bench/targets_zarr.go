package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/result"
)

// zarrTargets compare with the fastest other reader of the same store, row by row, and files whose
// blocks are Zarr chunks with those whose blocks are not.
func zarrTargets() []target {
	isSlice := func(m *result.Measure) bool { return m.Op != "read whole" }
	isAny := func(*result.Measure) bool { return true }
	var out []target
	for _, t := range []struct {
		text string
		is   condition
		want float64
	}{
		{"all", isAny, 1.5}, {"whole", isOp("zarr", "read whole"), 1}, {"slices", isSlice, 1},
		{"1 thread", hasThreads(1), 1}, {"2 threads", hasThreads(2), 1},
	} {
		out = append(out, target{text: "Zarr, the fastest other reader, " + t.text, want: t.want, worst: 1,
			value: againstBest(isWorkload("zarr"), t.is)})
	}
	for _, who := range []string{result.Cairn, result.C} {
		for _, write := range []bool{true, false} {
			verb := "reads"
			if write {
				verb = "writes"
			}
			is := func(m *result.Measure) bool {
				return strings.HasPrefix(m.Op, who+": ") && strings.HasSuffix(m.Op, "write whole") == write
			}
			if who == result.C && write {
				continue
			}
			out = append(out, target{text: fmt.Sprintf("%s %s ZarrBlocks against plain blocks", who, verb), want: 0.97,
				value: func(r *result.Report) reading {
					these := r.Select(all([]condition{isWorkload("zarrblocks"), is}))
					g := result.GroupOf(these, result.ZarrBlocks, result.PlainBlocks)
					return reading{Average: g.Speed, samples: g.Samples}
				}})
		}
	}
	return out
}

// verbTargets compare the command with the fastest other program or library, row by row.
func verbTargets() []target {
	return []target{{text: "verbs, the fastest other", want: 1, worst: 0.9, value: againstBest(isWorkload("verbs"))}}
}

// againstBest returns a function that averages cairn's speed relative to the fastest of the other
// peers. The worst is a single measure.
func againstBest(conditions ...condition) func(*result.Report) reading {
	return func(r *result.Report) reading {
		var ratios []float64
		got := single(math.NaN(), 0)
		for _, m := range r.Select(all(conditions)) {
			_, least, ok := m.Fastest()
			if !ok {
				continue
			}
			if ratios = append(ratios, least); least == slices.Min(ratios) {
				got.Worst, got.On = least, fmt.Sprintf("%s %s, %s, %d thr", m.Data, m.Codec, m.Op, m.Threads)
			}
		}
		got.Mean, got.samples = result.GeoMean(ratios), len(ratios)
		return got
	}
}
