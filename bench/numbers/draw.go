package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/bench/chart"
)

// shown are the codecs of the chart, those of others hollow.
var shown = []struct {
	codec          string
	encode, decode chart.Point // but for the values
}{
	{"lz4", chart.Point{Name: "LZ4", Color: 5}, chart.Point{}},
	{"zlib", chart.Point{Name: "zlib", Color: 0, Left: true, Below: true}, chart.Point{}},
	{"zstd", chart.Point{Name: "Zstandard", Color: 1}, chart.Point{}},
	{"zstd bitshuffle", chart.Point{Name: "Zstandard, bitshuffle", Color: 3}, chart.Point{}},
	{"C-Blosc2 zstd", chart.Point{Name: "C-Blosc2's Zstandard", Color: 1, Left: true, Below: true, Hollow: true},
		chart.Point{Hollow: true}},
	{"pcodec", chart.Point{Name: "Pcodec", Color: 2, Below: true, Hollow: true}, chart.Point{Below: true, Hollow: true}},
	{"numeric", chart.Point{Name: "numeric", Color: 6}, chart.Point{}},
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
		c.decode.Name = c.encode.Name
		c.decode.Color = c.encode.Color
		for i, p := range []chart.Point{c.encode, c.decode} {
			p.X = math.Exp(s.size / s.n)
			p.Y = math.Exp([]float64{s.encode, s.decode}[i] / s.n)
			planes[i].Points = append(planes[i].Points, p)
		}
	}
	title := fmt.Sprintf("Size and speed on %.0f real arrays (means), cairn filled: right is smaller, up is faster", arrays)
	return chart.Scatter(dir, "numbers", title, "times as small as the array", "GB/s (logarithmic)", planes)
}
