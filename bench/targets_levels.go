package main

import "github.com/cairn-go/cairn/bench/result"

// cellTargets returns targets for every single combination of data, codec, level and filter; the
// others are for means.
func cellTargets() []target {
	var out []target
	for _, codec := range []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"} {
		limit := 1.02
		if codec == "zstd" {
			limit = 1.05
		}
		text := "largest size of a cell of data, level and filter, " + codec
		out = append(out, target{text: text, want: limit, atMost: true,
			value: worstSize(codec)})
		for _, op := range []string{"compress", "decompress"} {
			out = append(out, target{text: "instead of C's levels, at no larger size, " + op + ", " + codec, want: 1,
				value: frontierMean(codec, op)})
		}
	}
	return out
}

func worstSize(codec string) func(*result.Report) reading {
	return func(r *result.Report) reading {
		worst := 0.0
		n := 0
		for _, m := range r.Select(isOp("levels", "compress")) {
			if size, ok := m.SizeRatio(result.Cairn, result.C); ok && m.Codec == codec {
				worst = max(worst, size)
				n = n + 1
			}
		}
		return single(worst, n)
	}
}

func frontierMean(codec, op string) func(*result.Report) reading {
	return func(r *result.Report) reading {
		var all []float64
		for _, f := range result.Frontiers(r.Of("levels")) {
			if f.Codec == codec && f.Op == op {
				all = append(all, f.Ratios...)
			}
		}
		return single(result.GeoMean(all), len(all))
	}
}
