// Package chart draws the results of a benchmark run as SVG.
package chart

import (
	"image/color"
	"math"
	"os"
	"path/filepath"

	draw "github.com/cairn-go/cairn/internal/show/chart"
)

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
	faint    = color.RGBA{0x80, 0x80, 0x80, 255}
	paleLine = color.RGBA{0xe4, 0xe4, 0xe4, 255}
)

// An axis places its values between two pixels.
type axis struct {
	draw.Axis
	from, to float64
}

// at returns the pixel of a value.
func (a *axis) at(v float64) float64 { return a.from + a.Position(v)*(a.to-a.from) }

func (a *axis) middle() float64 { return (a.from + a.to) / 2 }

// bounds returns the smallest and the largest positive value, 1 and 1 if there is none.
func bounds(rows ...[]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		for _, v := range row {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		return 1, 1
	}
	return low, high
}

// write writes a picture as NAME.svg in dir.
func write(p *draw.Picture, dir, name string) error {
	f, err := os.Create(filepath.Join(dir, name+".svg"))
	if err != nil {
		return err
	}
	if err := p.WriteSVG(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// The space around the area of a panel that holds the data, in pixels.
const (
	marginTop    = 26
	marginLeft   = 58
	marginRight  = 14
	marginBottom = 44
)

// A panel is one diagram: the area for its data, its axes and its legend.
type panel struct {
	title          string
	xLabel, yLabel string
	x, y           axis
	legend         []entry
	draw           func(*draw.Picture, *panel) // draws the data over the grid
	names          []string                    // labels along x, instead of ticks
	slanted        bool                        // names are too long to be horizontal
}

type entry struct {
	name  string
	color color.RGBA
}

// save draws a grid of panels as NAME.svg in dir. Each panel has the given size in pixels; nil
// panels stay empty.
func save(dir, name string, rows [][]*panel, width, height float64) error {
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	p := draw.NewPicture(int(width)*columns, int(height)*len(rows), white)
	for i, row := range rows {
		for k, panel := range row {
			if panel != nil {
				panel.render(p, width*float64(k), height*float64(i), width, height)
			}
		}
	}
	return write(p, dir, name)
}

// render draws the panel into the rectangle whose upper left corner is at (left, top).
func (a *panel) render(p *draw.Picture, left, top, width, height float64) {
	bottom := top + height - marginBottom
	if a.slanted {
		bottom -= 30
	}
	a.x.from, a.x.to = left+marginLeft, left+width-marginRight
	a.y.from, a.y.to = bottom, top+marginTop
	p.Text(a.x.middle(), top+16, 13, draw.Middle, 0, ink, a.title)
	a.grid(p)
	a.draw(p, a)
	p.Line(draw.Stroke{Color: faint, Width: 1}, a.x.from, bottom, a.x.to, bottom)
	p.Line(draw.Stroke{Color: faint, Width: 1}, a.x.from, bottom, a.x.from, a.y.to)
	p.Text(a.x.middle(), top+height-6, 11, draw.Middle, 0, ink, a.xLabel)
	p.Text(left+13, (bottom+a.y.to)/2, 11, draw.Middle, -90, ink, a.yLabel)
	a.key(p)
}

// grid draws ticks with their labels, and faint lines from them across the panel.
func (a *panel) grid(p *draw.Picture) {
	for _, t := range a.y.Marks(5) {
		y := a.y.at(t.At)
		p.Line(draw.Stroke{Color: paleLine, Width: 1}, a.x.from, y, a.x.to, y)
		p.Text(a.x.from-5, y+3.5, 10, draw.End, 0, ink, t.Label)
	}
	base := a.y.from
	for i, name := range a.names {
		if x := a.x.at(float64(i)); a.slanted {
			p.Text(x+4, base+12, 10, draw.End, -30, ink, name)
		} else {
			p.Text(x, base+14, 10, draw.Middle, 0, ink, name)
		}
	}
	if a.names != nil {
		return
	}
	for _, t := range a.x.Marks(5) {
		x := a.x.at(t.At)
		p.Line(draw.Stroke{Color: paleLine, Width: 1}, x, base, x, a.y.to)
		p.Text(x, base+14, 10, draw.Middle, 0, ink, t.Label)
	}
}

// key draws the legend in the upper right corner.
func (a *panel) key(p *draw.Picture) {
	for i, e := range a.legend {
		y := a.y.to + 6 + 13*float64(i)
		p.Rect(a.x.to-12, y-4, 10, 8, e.color)
		p.Text(a.x.to-16, y+3.5, 10, draw.End, 0, ink, e.name)
	}
}
