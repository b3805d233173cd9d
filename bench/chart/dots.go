package chart

import (
	"image/color"
	"math"

	draw "github.com/cairn-go/cairn/internal/show/chart"
)

// The layout of [Dots], in pixels.
const (
	dotsWidth  = 760
	dotsLeft   = 210 // the names of the rows end here
	dotsRight  = 24
	dotsTop    = 62 // title and legend
	dotsBottom = 44
	dotsRow    = 30
)

// Dots draws a comparison with one library as NAME.svg in dir: a row for each category of g, and in
// it a dot for each series, by its value on a logarithmic axis. A line marks 1, the library that
// the others are compared with. NaN means no dot. xLabel says what the values are.
func Dots(dir, name, xLabel string, g Group) error {
	height := dotsTop + dotsRow*float64(len(g.Categories)) + dotsBottom
	out := draw.NewPicture(dotsWidth, int(height), white)
	values := make([][]float64, len(g.Series))
	for i, s := range g.Series {
		values[i] = s.Values
	}
	low, high := bounds(values...)
	x := axis{Axis: draw.Axis{Low: min(low, 0.8) / 1.2, High: max(high, 2) * 1.2, Log: true},
		from: dotsLeft, to: dotsWidth - dotsRight}
	top, bottom := float64(dotsTop), height-dotsBottom
	out.Rect(x.from, top, x.at(1)-x.from, bottom-top, color.RGBA{0xf6, 0xec, 0xec, 255})
	out.Text(dotsWidth/2, 20, 15, draw.Middle, 0, ink, g.Title)
	for _, t := range x.Marks(5) {
		at := x.at(t.At)
		out.Line(draw.Stroke{Color: paleLine, Width: 1}, at, top, at, bottom)
		out.Text(at, bottom+15, 11, draw.Middle, 0, ink, t.Label)
	}
	out.Text(x.middle(), height-8, 12, draw.Middle, 0, ink, xLabel)
	for i, category := range g.Categories {
		y := top + dotsRow*(float64(i)+0.5)
		out.Text(x.from-10, y+4, 13, draw.End, 0, ink, category)
		out.Line(draw.Stroke{Color: paleLine, Width: 1}, x.from, y, x.to, y)
	}
	out.Line(draw.Stroke{Color: ink, Width: 2}, x.at(1), top, x.at(1), bottom)
	left := float64(dotsLeft)
	for _, s := range g.Series {
		out.Circle(left, 43, 6, Color(s.Color))
		out.Text(left+10, 47, 12, draw.Start, 0, ink, s.Name)
		left += 34 + 6.6*float64(longest([]string{s.Name}))
		for i, v := range s.Values {
			if !math.IsNaN(v) {
				// a pale edge keeps dots on top of each other apart
				out.Circle(x.at(v), top+dotsRow*(float64(i)+0.5), 7, white)
				out.Circle(x.at(v), top+dotsRow*(float64(i)+0.5), 6, Color(s.Color))
			}
		}
	}
	return write(out, dir, name)
}
