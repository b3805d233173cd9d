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
	{"C-Blosc2 zstd", chart.Point{Name: "C-Blosc2's Zstandard", Color: 1, Below: true, Hollow: true},
		chart.Point{Hollow: true}},
	{"pcodec", chart.Point{Name: "Pcodec", Color: 2, Hollow: true}, chart.Point{Below: true, Hollow: true}},
	{"numeric", chart.Point{Name: "numeric", Color: 6}, chart.Point{}},
}

// A measured is what a codec gives on one array.
type measured struct{ ratio, encode, decode float64 }

// draw draws the means over the arrays in a file of compare.py on which all codecs were measured.
func draw(path, dir string) error {
	arrays, err := rows(path)
	if err != nil {
		return err
	}

	planes := []chart.Plane{{Title: "compress, one thread"}, {Title: "decompress, one thread"}}
	n := 0.0
	for _, c := range shown {
		var sum measured
		n = 0
		for _, of := range arrays {
			if len(of) < len(shown) {
				continue
			}
			n++
			sum.ratio += math.Log(of[c.codec].ratio)
			sum.encode += math.Log(of[c.codec].encode)
			sum.decode += math.Log(of[c.codec].decode)
		}
		if n == 0 {
			return fmt.Errorf("%s has no array with the speed of all codecs", path)
		}

		c.decode.Name = c.encode.Name
		c.decode.Color = c.encode.Color
		for i, p := range []chart.Point{c.encode, c.decode} {
			p.X = math.Exp(sum.ratio / n)
			p.Y = math.Exp([]float64{sum.encode, sum.decode}[i] / n)
			planes[i].Points = append(planes[i].Points, p)
		}
	}
	title := fmt.Sprintf("Size and speed on %.0f real arrays (means), cairn filled: right is smaller, up is faster", n)
	return chart.Scatter(dir, "numbers", title, "times as small as the array", "GB/s (logarithmic)", planes)
}

// rows returns what the shown codecs give on one thread, by array and codec, where their speed was
// measured.
func rows(path string) (map[string]map[string]measured, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}

	arrays := map[string]map[string]measured{}
	for _, r := range all[1:] {
		var v [5]float64
		for i, at := range []int{1, 3, 4, 5, 6} {
			if v[i], err = strconv.ParseFloat(r[at], 64); err != nil {
				return nil, err
			}
		}
		wanted := false
		for _, c := range shown {
			wanted = wanted || c.codec == r[2]
		}
		if !wanted || v[1] != 1 || v[3] == 0 {
			continue
		}
		if arrays[r[0]] == nil {
			arrays[r[0]] = map[string]measured{}
		}
		arrays[r[0]][r[2]] = measured{v[0] / v[2], v[3], v[4]}
	}
	return arrays, nil
}
