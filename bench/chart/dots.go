package chart

import "math"

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
	out := newPicture(dotsWidth, height)
	values := make([][]float64, len(g.Series))
	for i, s := range g.Series {
		values[i] = s.Values
	}
	low, high := bounds(values...)
	x := axis{low: min(low, 0.8) / 1.2, high: max(high, 2) * 1.2, log: true, from: dotsLeft, to: dotsWidth - dotsRight}
	top, bottom := float64(dotsTop), height-dotsBottom
	out.rect(x.from, top, x.at(1)-x.from, bottom-top, "#f6ecec")
	out.text(dotsWidth/2, 20, 15, "middle", ink, g.Title)
	for _, t := range x.ticks() {
		at := x.at(t.value)
		out.line(at, top, at, bottom, paleLine, 1, "")
		out.text(at, bottom+15, 11, "middle", ink, t.label)
	}
	out.text(x.middle(), height-8, 12, "middle", ink, xLabel)
	for i, category := range g.Categories {
		y := top + dotsRow*(float64(i)+0.5)
		out.text(x.from-10, y+4, 13, "end", ink, category)
		out.line(x.from, y, x.to, y, paleLine, 1, "")
	}
	out.line(x.at(1), top, x.at(1), bottom, ink, 2, "")
	left := float64(dotsLeft)
	for _, s := range g.Series {
		out.circle(left, 43, 6, Color(s.Color))
		out.text(left+10, 47, 12, "start", ink, s.Name)
		left += 34 + 6.6*float64(longest([]string{s.Name}))
		for i, v := range s.Values {
			if !math.IsNaN(v) {
				out.dot(x.at(v), top+dotsRow*(float64(i)+0.5), 6, Color(s.Color))
			}
		}
	}
	return out.save(dir, name)
}
