package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/result"
)

// zarrTargets compare with the fastest other reader of the same store, row by row.
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
	return out
}

// readTargets compare with the fastest other reader of the same file, and with one goroutine.
func readTargets() []target {
	pass := func(name string) condition {
		return func(m *result.Measure) bool { return strings.HasSuffix(m.Op, name) }
	}
	reads := isWorkload("reads")
	whole := isOp("reads", "read whole")
	own := func(m *result.Measure) bool { return m.Side(result.CairnOne) != nil }
	return []target{
		{text: "reads, whole, 1 thread", want: 1.3, worst: 1, value: againstBest(whole, hasThreads(1))},
		{text: "reads, whole, 2 threads", want: 2, worst: 1.3, value: againstBest(whole, hasThreads(2))},
		{text: "reads, planes, first pass", want: 2, worst: 1, value: againstBest(reads, pass("first pass"))},
		{text: "reads, planes, second pass", want: 1, worst: 1, value: againstBest(reads, pass("second pass"))},
		{text: "reads, default workers against one", want: 1, worst: 0.97, value: againstBest(reads, own)},
	}
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
				got.Worst = least
				got.On = fmt.Sprintf("%s %s, %s, %d thr", m.Data, m.Codec, m.Op, m.Threads)
			}
		}
		got.Mean = result.GeoMean(ratios)
		got.samples = len(ratios)
		return got
	}
}
