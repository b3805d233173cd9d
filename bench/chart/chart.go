// Package chart draws the results of a benchmark run as SVG. It does not depend on other packages
// of the benchmark, and needs no fonts: the viewer provides them.
package chart

// These colours can be distinguished by colour-blind readers.
var palette = []string{"#999999", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000"}

// Color returns the CSS colour of a series. A number has the same colour in every chart.
func Color(series int) string { return palette[series%len(palette)] }

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
	draw           func(*picture, *panel) // draws the data over the grid
	names          []string               // labels along x, instead of ticks
	slanted        bool                   // names are too long to be horizontal
}

type entry struct {
	name  string
	color string
}

// save draws a grid of panels as NAME.svg in dir. Each panel has the given size in pixels; nil
// panels stay empty.
func save(dir, name string, rows [][]*panel, width, height float64) error {
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	p := newPicture(width*float64(columns), height*float64(len(rows)))
	for i, row := range rows {
		for k, panel := range row {
			if panel != nil {
				panel.render(p, width*float64(k), height*float64(i), width, height)
			}
		}
	}
	return p.save(dir, name)
}

// render draws the panel into the rectangle whose upper left corner is at (left, top).
func (a *panel) render(p *picture, left, top, width, height float64) {
	bottom := top + height - marginBottom
	if a.slanted {
		bottom -= 30
	}
	a.x.from, a.x.to = left+marginLeft, left+width-marginRight
	a.y.from, a.y.to = bottom, top+marginTop
	p.text(a.x.middle(), top+16, 13, "middle", ink, a.title)
	a.grid(p)
	a.draw(p, a)
	p.line(a.x.from, bottom, a.x.to, bottom, faint, 1, "")
	p.line(a.x.from, bottom, a.x.from, a.y.to, faint, 1, "")
	p.text(a.x.middle(), top+height-6, 11, "middle", ink, a.xLabel)
	p.upward(left+13, (bottom+a.y.to)/2, 11, a.yLabel)
	a.key(p)
}

// grid draws ticks with their labels, and faint lines from them across the panel.
func (a *panel) grid(p *picture) {
	for _, t := range a.y.ticks() {
		y := a.y.at(t.value)
		p.line(a.x.from, y, a.x.to, y, paleLine, 1, "")
		p.text(a.x.from-5, y+3.5, 10, "end", ink, t.label)
	}
	base := a.y.from
	for i, name := range a.names {
		if x := a.x.at(float64(i)); a.slanted {
			p.slanted(x+4, base+12, 10, name)
		} else {
			p.text(x, base+14, 10, "middle", ink, name)
		}
	}
	if a.names != nil {
		return
	}
	for _, t := range a.x.ticks() {
		x := a.x.at(t.value)
		p.line(x, base, x, a.y.to, paleLine, 1, "")
		p.text(x, base+14, 10, "middle", ink, t.label)
	}
}

// key draws the legend in the upper right corner.
func (a *panel) key(p *picture) {
	for i, e := range a.legend {
		y := a.y.to + 6 + 13*float64(i)
		p.rect(a.x.to-12, y-4, 10, 8, e.color)
		p.text(a.x.to-16, y+3.5, 10, "end", ink, e.name)
	}
}
