package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/bench/chart"
)

// shown are the codecs of the chart, and where their names are.
var shown = []struct {
	codec, name string
	color       int
	sides       [2]chart.Point // of encoding and decoding: only Below and Left
}{
	{"lz4", "LZ4", 5, [2]chart.Point{}},
	{"zlib", "zlib", 0, [2]chart.Point{}},
	{"zstd", "Zstandard", 1, [2]chart.Point{}},
	{"zstd bitshuffle", "Zstandard, bitshuffle", 3, [2]chart.Point{}},
	{"C-Blosc2 zstd", "C-Blosc2's Zstandard", 4, [2]chart.Point{}},
	{"pcodec", "Pcodec", 2, [2]chart.Point{}},
	{"numeric", "numeric", 6, [2]chart.Point{}},
}

// draw draws the means over the arrays in a file of compare.py.
func draw(path, dir string) error {
	text, err := read(path)
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}

	type sum struct{ size, encode, decode, n float64 }
	sums := map[string]*sum{}
	for _, r := range rows[1:] {
		var v [5]float64
		for i, at := range []int{1, 3, 4, 5, 6} {
			if v[i], err = strconv.ParseFloat(r[at], 64); err != nil {
				return err
			}
		}
		if v[1] != 1 || v[3] == 0 {
			continue
		}

		s := sums[r[2]]
		if s == nil {
			s = &sum{}
			sums[r[2]] = s
		}
		s.n++
		s.size += math.Log(v[0] / v[2])
		s.encode += math.Log(v[3])
		s.decode += math.Log(v[4])
	}

	planes := []chart.Plane{{Title: "compress, one thread"}, {Title: "decompress, one thread"}}
	arrays := 0.0
	for _, c := range shown {
		s := sums[c.codec]
		if s == nil {
			return fmt.Errorf("%s has no speed of %s", path, c.codec)
		}
		arrays = s.n
		for i, speed := range []float64{s.encode, s.decode} {
			p := c.sides[i]
			p.Name = c.name
			p.X = math.Exp(s.size / s.n)
			p.Y = math.Exp(speed / s.n)
			p.Color = c.color
			planes[i].Points = append(planes[i].Points, p)
		}
	}
	title := fmt.Sprintf("Size and speed on %.0f real arrays, means: right is smaller, up is faster", arrays)
	return chart.Scatter(dir, "numbers", title, "times as small as the array", "GB/s (logarithmic)", planes)
}
