package main

import (
	"math"

	"github.com/cairn-go/cairn/bench/result"
)

// cellTargets returns targets for every single combination of data, codec, level and filter; the
// others are for means.
func cellTargets() []target {
	var out []target
	for _, t := range []struct {
		codec string
		limit float64
	}{{"blosclz", sizeLimit}, {"lz4", sizeLimit}, {"lz4hc", sizeLimit}, {"zlib", sizeLimit}, {"zstd", zstdSizeLimit}} {
		out = append(out, target{text: "largest size of a cell of data, level and filter, " + t.codec, want: t.limit, atMost: true, value: worstSize(t.codec)})
		for _, op := range []string{"compress", "decompress"} {
			out = append(out, target{text: "instead of C's levels, at no larger size, " + op + ", " + t.codec, want: 1, value: frontierMean(t.codec, op)})
		}
	}
	return out
}

func worstSize(codec string) func(*result.Report) (float64, float64, int) {
	return func(r *result.Report) (float64, float64, int) {
		worst, n := 0.0, 0
		for _, m := range r.Select(isOp("levels", "compress")) {
			if size, ok := m.SizeRatio(result.Cairn, result.C); ok && m.Codec == codec {
				worst, n = max(worst, size), n+1
			}
		}
		return worst, math.NaN(), n
	}
}

func frontierMean(codec, op string) func(*result.Report) (float64, float64, int) {
	return func(r *result.Report) (float64, float64, int) {
		var all []float64
		for _, f := range result.Frontiers(r.Of("levels")) {
			if f.Codec == codec && f.Op == op {
				all = append(all, f.Ratios...)
			}
		}
		return result.GeoMean(all), math.NaN(), len(all)
	}
}
