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
	text   string
	want   float64 // least value, or the largest if atMost is set
	worst  float64 // the same for the worst array; 0 means any
	atMost bool
	value  func(*result.Report) reading
}

// A reading is what a report has for a target.
type reading struct {
	result.Average
	samples int // number of measures in the mean; 0 means not measured
	copied  int // number of measures left out because they are as fast as a copy
}

const (
	// flatness is the share of its speed that an operation must keep from the smallest size to the
	// largest.
	flatness = 0.67

	// nearCopy is the share of the speed of memcpy at which nothing more is asked for.
	nearCopy = 0.8
)

// targets returns all targets.
func targets() []target {
	var out []target
	out = append(out, bufferTargets()...)
	out = append(out, readerTargets()...)
	for _, codec := range []string{"blosclz", "lz4"} {
		out = append(out, target{text: "decompress arange, " + codec + ", against memcpy, 2 threads each", want: 1,
			value: ratiosTo(result.Memcpy, isOp("frames", "decompress"), isCodec(codec))})
	}
	out = append(out, cellTargets()...)
	out = append(out, filterTargets()...)

	out = append(out,
		target{text: "LZ4 encode alone, without arange", want: 1.05,
			value: ratios(isOp("codecs", "encode"), isCodec("lz4"), notArange)},
		target{text: "LZ4 decode alone, without arange", want: 1,
			value: ratios(isOp("codecs", "decode"), isCodec("lz4"), notArange)},
		target{text: "Zstandard decode alone, without arange", want: 1.1,
			value: ratios(isOp("codecs", "decode"), isCodec("zstd"), notArange)})

	out = append(out, arrayTargets()...)
	out = append(out, userTargets()...)
	out = append(out, zarrTargets()...)
	out = append(out, readTargets()...)
	out = append(out, verbTargets()...)
	out = append(out,
		target{text: "append at 20 000 chunks", want: 20, value: ratios(isOp("append", "append"), atCount(20000))},
		target{text: "append at 1 000 000 chunks against 1 000", want: flatness, value: flat})
	return out
}

// bufferTargets returns the targets for frames in memory, by codec and number of threads.
func bufferTargets() []target {
	var out []target
	for _, t := range []struct {
		codec               string
		one, two, worst     float64 // compress, with as many threads
		decode, decodeWorst float64
		size                float64
	}{
		{"blosclz", 1.8, 1.6, 1, 1.4, 1, 1}, {"lz4", 1.8, 1.6, 1, 1.4, 1, 1}, {"lz4hc", 1.3, 1.3, 0.9, 1.4, 1, 1},
		{"zlib", 1.3, 1.3, 0.9, 1.3, 1, 1}, {"zstd", 1.3, 1.3, 0.9, 1.3, 1, 1.01},
	} {
		for i, want := range []float64{t.one, t.two} {
			threads := i + 1
			with := fmt.Sprintf(", %s, %d thr", t.codec, threads)
			out = append(out,
				target{text: "compress" + with, want: want, worst: t.worst,
					value: ratios(isOp("frames", "compress"), isCodec(t.codec), hasThreads(threads))},
				target{text: "decompress" + with, want: t.decode, worst: t.decodeWorst,
					value: ratios(isOp("frames", "decompress"), isCodec(t.codec), hasThreads(threads))})
		}

		out = append(out, target{text: "size, " + t.codec, want: t.size, worst: 1.03, atMost: true,
			value: sizes(isOp("frames", "compress"), isCodec(t.codec))})
	}
	return out
}

// readerTargets ask that what cairn writes is read at least as fast as what C writes.
func readerTargets() []target {
	var out []target
	for _, codec := range []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"} {
		for _, reader := range []string{result.C, result.Cairn} {
			text := fmt.Sprintf("%s reads cairn's %s against C's", reader, codec)
			out = append(out, target{text: text, want: 1, worst: 0.97,
				value: ratios(isOp("readers", reader+" reads"), isCodec(codec))})
		}
	}
	return out
}

// arrayTargets returns the targets of arrays, the same for memory, files and mapped files; mapped
// files are only read.
func arrayTargets() []target {
	var out []target
	for _, t := range []struct {
		op          string
		want, worst float64
	}{
		{"write whole", 2, 1.5}, {"read whole", 2, 1.3}, {"plane", 2, 1.2}, {"point", 2, 1.2}, {"read box", 2, 1.2},
		{"write box", 10, 4}, {"write box, commit", 10, 4},
	} {
		isThis := func(m *result.Measure) bool {
			return m.Op == t.op || t.op == "plane" && strings.HasPrefix(m.Op, t.op)
		}

		for _, place := range []string{"memory", "disk", "mapped"} {
			if place == "mapped" && strings.HasPrefix(t.op, "write") {
				continue
			}
			for _, codec := range []string{"lz4", "zstd"} {
				isHere := func(m *result.Measure) bool { return m.Place == place }
				text := strings.Join([]string{"array", place, codec, t.op}, ", ")
				out = append(out, target{text: text, want: t.want, worst: t.worst,
					value: orCopied(result.C, t.want, isWorkload("arrays"), isHere, isThis, isCodec(codec))})
			}
		}
	}
	return out
}

// userTargets compare with TensorStore on the same chunks.
func userTargets() []target {
	var out []target
	for _, op := range []string{
		"write whole", "read whole", "plane along axis 0", "plane along axis 1", "plane along axis 2",
		"point", "read box",
		"write box, commit", "append rows", "append rows, each visible", "append 32 rows, visible",
	} {
		out = append(out, target{text: "TensorStore, " + op, want: 1.5, worst: 1,
			value: orCopied(result.TensorStore, 1.5, isOp("users", op))})
	}
	return append(out, target{text: "TensorStore's shards, write box, commit", want: 1.5, worst: 1,
		value: ratiosTo(result.TensorStore, isWorkload("boxes"))})
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
					value: ratios(isOp("filters", op), func(m *result.Measure) bool {
						return m.Filter == filter && m.TypeSize == typeSize
					})})
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

func hasThreads(n int) condition { return func(m *result.Measure) bool { return m.Threads == n } }

func atCount(n int64) condition { return func(m *result.Measure) bool { return m.Count == n } }

func notArange(m *result.Measure) bool { return !strings.HasPrefix(m.Data, "arange") }

// ratios returns a function that averages cairn's speed relative to C's over the measures that meet
// all conditions.
func ratios(conditions ...condition) func(*result.Report) reading {
	return ratiosTo(result.C, conditions...)
}

func ratiosTo(base string, conditions ...condition) func(*result.Report) reading {
	return func(r *result.Report) reading {
		g := result.GroupOf(r.Select(all(conditions)), result.Cairn, base)
		return reading{Average: g.Speed, samples: g.Samples}
	}
}

// sizes is the same for cairn's sizes divided by C's.
func sizes(conditions ...condition) func(*result.Report) reading {
	return func(r *result.Report) reading {
		g := result.GroupOf(r.Select(all(conditions)), result.Cairn, result.C)
		return reading{Average: g.Size, samples: g.Samples}
	}
}

// orCopied is like ratiosTo, but leaves out measures that are near the speed of memcpy where that
// is less than want times the base.
func orCopied(base string, want float64, conditions ...condition) func(*result.Report) reading {
	return func(r *result.Report) reading {
		copied := 0
		rest := r.Select(func(m *result.Measure) bool {
			if !all(conditions)(m) {
				return false
			}
			ratio, measured := m.Ratio(result.Cairn, base)
			copy, ok := m.Ratio(result.Cairn, result.Memcpy)
			near := measured && ok && copy.Median >= nearCopy && ratio.Median < want
			if near {
				copied++
			}
			return !near
		})
		g := result.GroupOf(rest, result.Cairn, base)
		return reading{g.Speed, g.Samples + copied, copied}
	}
}

// all combines conditions.
func all(conditions []condition) condition {
	return func(m *result.Measure) bool {
		return !slices.ContainsFunc(conditions, func(meets condition) bool { return !meets(m) })
	}
}

// flat compares the cost of an append at 1 000 chunks with that at a million, in memory and on
// disk.
func flat(r *result.Report) reading {
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
	return single(result.GeoMean(values), len(values))
}

// single returns a reading without arrays.
func single(value float64, samples int) reading {
	return reading{Average: result.Average{Mean: value, Worst: value}, samples: samples}
}

// judge compares a report with all targets.
func judge(r *result.Report) []result.Outcome {
	var out []result.Outcome
	for _, t := range targets() {
		out = append(out, t.judge(t.value(r)))
	}
	return out
}

func (t target) judge(got reading) result.Outcome {
	o := result.Outcome{Target: t.text, Want: fmt.Sprintf("%.4g ×", t.want), Got: "not measured",
		Samples: got.samples, Measured: got.samples > 0}
	format := "%.2f"
	if t.atMost {
		o.Want = fmt.Sprintf("≤ %.4g", t.want)
		format = "%.3f"
	}
	if t.worst > 0 {
		o.Want += fmt.Sprintf(" (%.4g)", t.worst)
	}
	if !o.Measured {
		return o
	}

	reached := func(value, want float64) bool {
		return math.IsNaN(value) || value >= want && !t.atMost || value <= want && t.atMost
	}

	o.Got = fmt.Sprintf(format, got.Mean)
	o.Reached = reached(got.Mean, t.want)
	if t.worst > 0 {
		o.Got += fmt.Sprintf(" ("+format+" %s)", got.Worst, got.On)
		o.Reached = o.Reached && reached(got.Worst, t.worst)
	}

	switch {
	case got.copied == got.samples:
		o.Got = "near memcpy"
	case got.copied > 0:
		o.Got += fmt.Sprintf(", %d near memcpy", got.copied)
	}
	return o
}
