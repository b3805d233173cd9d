// Package chart draws the results of a benchmark run as SVG.
package chart

import (
	"image/color"
	"math"
	"os"
	"path/filepath"
	"unicode/utf8"

	draw "github.com/cairn-go/cairn/internal/show/chart"
)

// A Group is a comparison: a value of each series for each category. NaN means none.
type Group struct {
	Title      string
	Categories []string
	Series     []Series
}

// A Series is a named row of values. Color is its number in all charts. Without a name, it is not
// in the legend, and its dots are small and pale.
type Series struct {
	Name   string
	Values []float64
	Color  int
}

// Color returns the colour of a series. A number has the same colour in every chart; colour-blind
// readers can tell them apart.
func Color(series int) color.RGBA {
	palette := []uint32{0x999999, 0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442, 0x000000}
	c := palette[series%len(palette)]
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}
}

var (
	white    = color.RGBA{255, 255, 255, 255}
	ink      = color.RGBA{0x22, 0x22, 0x22, 255}
	paleLine = color.RGBA{0xe4, 0xe4, 0xe4, 255}
)

// The layout of [Dots], in pixels.
const (
	width  = 760
	left   = 210 // the names of the rows end here
	right  = 24
	top    = 62 // title and legend
	bottom = 44
	row    = 30
)

// Dots draws a comparison with one library as NAME.svg in dir: a row for each category of g, and in
// it a dot for each series, by its value on a logarithmic axis. A line marks 1, the library that
// the others are compared with. xLabel says what the values are.
func Dots(dir, name, xLabel string, g Group) error {
	height := top + row*float64(len(g.Categories)) + bottom
	out := draw.NewPicture(width, int(height), white)
	low, high := bounds(g.Series)
	axis := draw.Axis{Low: low / 1.2, High: high * 1.2, Log: true}
	x := func(v float64) float64 { return left + axis.Position(v)*(width-right-left) }
	end := height - bottom

	out.Rect(left, top, x(1)-left, end-top, color.RGBA{0xf6, 0xec, 0xec, 255})
	out.Text(width/2, 20, 15, draw.Middle, 0, ink, g.Title)
	for _, t := range axis.Marks(5) {
		out.Line(draw.Stroke{Color: paleLine, Width: 1}, x(t.At), top, x(t.At), end)
		out.Text(x(t.At), end+15, 11, draw.Middle, 0, ink, t.Label)
	}
	out.Text((left+width-right)/2, height-8, 12, draw.Middle, 0, ink, xLabel)

	for i, category := range g.Categories {
		y := top + row*(float64(i)+0.5)
		out.Text(left-10, y+4, 13, draw.End, 0, ink, category)
		out.Line(draw.Stroke{Color: paleLine, Width: 1}, left, y, width-right, y)
	}
	out.Line(draw.Stroke{Color: ink, Width: 2}, x(1), top, x(1), end)

	legend := float64(left)
	for _, s := range g.Series {
		if s.Name != "" {
			out.Circle(legend, 43, 6, Color(s.Color))
			out.Text(legend+10, 47, 12, draw.Start, 0, ink, s.Name)
			legend += 34 + 6.6*float64(utf8.RuneCountInString(s.Name))
		}
		for i, v := range s.Values {
			if math.IsNaN(v) {
				continue
			}
			// a pale edge keeps dots on top of each other apart
			y := top + row*(float64(i)+0.5)
			if s.Name == "" {
				pale := Color(s.Color)
				pale.A = 110
				out.Circle(x(v), y, 4, pale)
				continue
			}
			out.Circle(x(v), y, 7, white)
			out.Circle(x(v), y, 6, Color(s.Color))
		}
	}
	return save(out, filepath.Join(dir, name+".svg"))
}

// bounds returns the least and the greatest positive value, around 1.
func bounds(all []Series) (low, high float64) {
	low = 0.8
	high = 2
	for _, s := range all {
		for _, v := range s.Values {
			if v > 0 {
				low = min(low, v)
				high = max(high, v)
			}
		}
	}
	return low, high
}

func save(p *draw.Picture, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := p.WriteSVG(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
