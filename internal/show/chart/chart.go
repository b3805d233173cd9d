// Package chart draws fields, lines and histograms with their axes, as PNG or SVG. A Chart says
// what is shown; terminals show the same description in characters. The result depends on nothing
// but the description. Texts in PNG use a small font of the package.
package chart

import (
	"image/color"
	"math"
	"slices"
)

// A Chart is a title above panels that share a colour scale.
type Chart struct {
	Title, Subtitle string
	Panels          []Panel
	Columns         int    // of panels; 0 means 1
	Scale           *Scale // of the fields, if there are some
	// Size of the picture in pixels; 0 means one that suits the panels.
	Width, Height int
}

// A Panel shows one field, or lines, or bars.
type Panel struct {
	Title string
	X, Y  Axis
	Field *Field
	Lines []Line
	Bars  *Bars
	Grid  bool // lines from the ticks across a field
}

// A Scale maps the values of fields to colours.
type Scale struct {
	Axis
	Colours *Colours
}

// ColorOf returns the colour of a value.
func (s *Scale) ColorOf(v float64) color.RGBA {
	t := s.Position(v)
	if t != t {
		if s.Log && v <= 0 {
			return s.Colours.At(0)
		}
		return Absent()
	}
	return s.Colours.At(t)
}

// A Field has a value for each cell of a grid. NaN is none.
type Field struct {
	Rows, Columns int
	Values        []float64 // row by row from the top, each from the left
	Smooth        bool      // interpolate between the centres of cells
	Around        bool      // the last column is beside the first one, for Smooth
	Outline       []float64 // a second field whose zero line is drawn, or nil
	Shape         float64   // height over width; 0 makes cells squares
}

// ShapeOf returns the height of the field over its width.
func (f *Field) ShapeOf() float64 {
	if f.Shape > 0 {
		return f.Shape
	}
	return float64(max(1, f.Rows)) / float64(max(1, f.Columns))
}

// A Line is a named series of points, in the order of their x. NaN interrupts it.
type Line struct {
	Name   string
	X, Y   []float64
	Lows   []float64 // with Highs, the band around the line; or nil
	Highs  []float64
	Points bool // mark the points
	Color  int  // number of the series
}

// Bars is a histogram: Counts are those of equal parts of the x axis between its ends.
type Bars struct {
	Counts []float64
	Color  int
}

// Draw lays the chart out.
func (c *Chart) Draw() *Picture {
	l := c.layout()
	p := NewPicture(l.width, l.height, paper)
	p.Text(float64(l.left), 41, 30, Start, 0, ink, c.Title)
	p.Text(float64(l.left), 68, 20, Start, 0, faint, c.Subtitle)

	for i := range c.Panels {
		c.Panels[i].draw(p, c.Scale, l.area(i))
	}

	// Write the names of lines beside samples of them.
	at := l.legend
	for i, line := range c.legend() {
		x := at[i].x
		y := at[i].y
		p.Line(Stroke{Color: Series(line.Color), Width: 4}, x, y, x+26, y)
		p.Text(x+34, y+7, usualFont, Start, 0, ink, line.Name)
	}

	if c.Scale != nil {
		drawBar(p, c.Scale, l)
		if c.HasGaps() {
			drawAbsent(p, l)
		}
	}
	return p
}

// HasGaps reports whether a field has places without a value.
func (c *Chart) HasGaps() bool {
	return slices.ContainsFunc(c.Panels, func(p Panel) bool {
		return p.Field != nil && slices.ContainsFunc(p.Field.Values, math.IsNaN)
	})
}

// legend returns the lines that have names, once each.
func (c *Chart) legend() (lines []Line) {
	seen := map[string]bool{}
	for _, p := range c.Panels {
		for _, l := range p.Lines {
			if l.Name != "" && !seen[l.Name] {
				seen[l.Name] = true
				lines = append(lines, l)
			}
		}
	}
	return lines
}
