package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/result"
)

// A target is a figure that the project wants to reach, with the function that gets it from a
// report.
type target struct {
	text string
	want float64 // least value, or the largest if atMost is set
	most float64 // largest geometric mean of cairn's size divided by C's; 0 means any
	// value returns the figure, the size ratio or NaN, and the number of measures in the mean; 0
	// means not measured.
	value  func(*result.Report) (value, size float64, samples int)
	atMost bool
}

const (
	sizeLimit     = 1.02
	zstdSizeLimit = 1.05
	// flatness is the share of its speed that an operation must keep from the smallest size to the
	// largest.
	flatness = 0.67
)

// targets returns all targets.
func targets() []target {
	var out []target
	for _, t := range []struct {
		codec            string
		encode, decode   float64
		compressedAtMost float64
	}{
		{"blosclz", 1.5, 1.3, sizeLimit}, {"lz4", 1.5, 1.3, sizeLimit}, {"lz4hc", 1, 1.3, sizeLimit},
		{"zlib", 1, 1, sizeLimit}, {"zstd", 1, 1.2, zstdSizeLimit},
	} {
		out = append(out,
			target{text: "compress, " + t.codec, want: t.encode, most: t.compressedAtMost, value: ratios(isOp("frames", "compress"), isCodec(t.codec))},
			target{text: "decompress, " + t.codec, want: t.decode, value: ratios(isOp("frames", "decompress"), isCodec(t.codec))})
	}
	for _, codec := range []string{"blosclz", "lz4"} {
		out = append(out, target{text: "decompress arange, " + codec + ", against memcpy, 2 threads each", want: 1,
			value: ratiosTo(result.Memcpy, isOp("frames", "decompress"), isCodec(codec))})
	}
	out = append(out, cellTargets()...)
	out = append(out, filterTargets()...)
	out = append(out,
		target{text: "LZ4 encode alone, without arange", want: 1.05, most: sizeLimit, value: ratios(isOp("codecs", "encode"), isCodec("lz4"), notArange)},
		target{text: "LZ4 decode alone, without arange", want: 1, value: ratios(isOp("codecs", "decode"), isCodec("lz4"), notArange)},
		target{text: "Zstandard decode alone, without arange", want: 1.1, value: ratios(isOp("codecs", "decode"), isCodec("zstd"), notArange)})
	out = append(out, arrayTargets()...)
	out = append(out,
		target{text: "append at 20 000 chunks", want: 20, value: ratios(isOp("append", "append"), atCount(20000))},
		target{text: "append at 1 000 000 chunks against 1 000", want: flatness, value: flat},
		target{text: "parts of the largest array against 16 MiB", want: flatness, value: flatExtent(" MiB", 16)},
		target{text: "parts of the array of most chunks against 1 000", want: flatness, value: flatExtent(" chunks", 1000)},
		target{text: "allocations per chunk, the worst codec", want: 0, atMost: true, value: worst("allocations")},
		target{text: "peak memory of a whole array, chunks per worker", want: 4, atMost: true, value: worst("peak memory")})
	return out
}

// arrayTargets returns the targets of arrays, the same for memory, files and mapped files; mapped
// files are only read.
func arrayTargets() []target {
	var out []target
	for _, place := range []string{"memory", "disk", "mapped"} {
		isHere := func(m *result.Measure) bool { return m.Place == place }
		for _, t := range []struct {
			op   string
			want float64
		}{{"write whole", 2}, {"read whole", 2}, {"plane", 2}, {"read box", 2}, {"point", 2}, {"write box", 20}} {
			if place == "mapped" && strings.HasPrefix(t.op, "write") {
				continue
			}
			isOp := func(m *result.Measure) bool { return strings.HasPrefix(m.Op, t.op) }
			out = append(out, target{text: "array, " + place + ", " + t.op, want: t.want, value: ratios(isWorkload("arrays"), isHere, isOp)})
		}
	}
	return out
}

func filterTargets() []target {
	bits := 2.5
	if hasGFNI() {
		bits = 4
	}
	var out []target
	for _, filter := range []string{"shuffle", "bitshuffle"} {
		for _, op := range []string{"forward", "back"} {
			for _, typeSize := range []int{2, 4, 8, 16} {
				want := 1.0
				switch {
				case filter == "bitshuffle":
					want = bits
				case op == "forward" && typeSize >= 8:
					want = 1.5
				}
				out = append(out, target{text: fmt.Sprintf("%s %s, typesize %d", filter, op, typeSize), want: want,
					value: ratios(isOp("filters", op), func(m *result.Measure) bool { return m.Filter == filter && m.TypeSize == typeSize })})
			}
		}
	}
	return out
}

type condition func(*result.Measure) bool

func isWorkload(name string) condition {
	return func(m *result.Measure) bool { return m.Workload == name }
}

func isOp(workload, op string) condition {
	return func(m *result.Measure) bool { return m.Workload == workload && m.Op == op }
}

func isCodec(codec string) condition {
	return func(m *result.Measure) bool { return m.Codec == codec }
}

func atCount(n int64) condition { return func(m *result.Measure) bool { return m.Count == n } }

func notArange(m *result.Measure) bool { return !strings.HasPrefix(m.Data, "arange") }

// ratios returns a function that averages cairn's speed relative to C's over the measures that meet
// all conditions.
func ratios(conditions ...condition) func(*result.Report) (float64, float64, int) {
	return ratiosTo(result.C, conditions...)
}

func ratiosTo(base string, conditions ...condition) func(*result.Report) (float64, float64, int) {
	return func(r *result.Report) (float64, float64, int) {
		var speeds, sizes []float64
		for _, m := range r.Measures {
			ratio, ok := m.Ratio(result.Cairn, base)
			if !ok || slices.ContainsFunc(conditions, func(meets condition) bool { return !meets(m) }) {
				continue
			}
			speeds = append(speeds, ratio.Median)
			if size, ok := m.SizeRatio(result.Cairn, base); ok {
				sizes = append(sizes, size)
			}
		}
		return result.GeoMean(speeds), result.GeoMean(sizes), len(speeds)
	}
}

// flatExtent compares the cost of parts of arrays of size from with that of the largest arrays;
// unit is MiB or chunks.
func flatExtent(unit string, from int64) func(*result.Report) (value, size float64, samples int) {
	return func(r *result.Report) (float64, float64, int) {
		first, last := map[string]*result.Measure{}, map[string]*result.Measure{}
		for _, m := range r.Select(func(m *result.Measure) bool { return m.Workload == "extent" && strings.HasSuffix(m.Data, unit) }) {
			if m.Count == from {
				first[m.Op] = m
			} else if l := last[m.Op]; m.Count > from && (l == nil || l.Count < m.Count) {
				last[m.Op] = m
			}
		}
		var ratios []float64
		for op, m := range last {
			if first[op] == nil {
				continue
			}
			a, _ := first[op].Seconds(result.Cairn)
			b, _ := m.Seconds(result.Cairn)
			ratios = append(ratios, a/b)
		}
		return result.GeoMean(ratios), math.NaN(), len(ratios)
	}
}

// flat compares the cost of an append at 1 000 chunks with that at a million, in memory and on
// disk.
func flat(r *result.Report) (float64, float64, int) {
	var values []float64
	for _, place := range []string{"memory", "disk"} {
		cost := func(count int64) float64 {
			for _, m := range r.Select(isOp("append", "append")) {
				if t, ok := m.Seconds(result.Cairn); ok && m.Place == place && m.Count == count {
					return t
				}
			}
			return math.NaN()
		}
		if v := cost(1000) / cost(1_000_000); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return result.GeoMean(values), math.NaN(), len(values)
}

// worst returns a function for the largest of the figures whose name has a prefix.
func worst(prefix string) func(*result.Report) (float64, float64, int) {
	return func(r *result.Report) (float64, float64, int) {
		most, n := 0.0, 0
		for _, f := range r.Figures {
			if strings.HasPrefix(f.Name, prefix) {
				most, n = max(most, f.Value), n+1
			}
		}
		return most, math.NaN(), n
	}
}

// judge compares a report with all targets.
func judge(r *result.Report) []result.Outcome {
	var out []result.Outcome
	for _, t := range targets() {
		value, size, samples := t.value(r)
		o := result.Outcome{Target: t.text, Want: fmt.Sprintf("%.4g ×", t.want), Got: "not measured", Samples: samples, Measured: samples > 0}
		if t.atMost {
			o.Want = fmt.Sprintf("≤ %.4g", t.want)
		}
		if t.most > 0 {
			o.Want += fmt.Sprintf(", size ≤ %.2f", t.most)
		}
		if o.Measured {
			o.Got = fmt.Sprintf("%.2f", value)
			o.Reached = value >= t.want
			if t.atMost {
				o.Reached = value <= t.want
			}
			if t.most > 0 && !math.IsNaN(size) {
				o.Got += fmt.Sprintf(", size %.3f", size)
				o.Reached = o.Reached && size <= t.most
			}
		}
		out = append(out, o)
	}
	return out
}
