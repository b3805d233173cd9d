package cells

import (
	"image/color"
	"math"

	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/internal/show/table"
)

// A panel is a panel of a chart with its place on the screen, in characters.
type panel struct {
	of     *chart.Panel
	screen Screen
	head   int // lines above the data
	left   int // columns beside them
	width  int // of the data
	lines  int // of the data
	foot   int // lines below them
	yTicks []chart.Tick
	xTicks []chart.Tick
}

func (p *panel) height() int { return p.head + p.lines + p.foot }

// layOut finds the place of the data in a rectangle.
func layOut(of *chart.Panel, s Screen, width, height int) *panel {
	p := &panel{of: of, screen: s}
	if of.Title != "" {
		p.head++
	}
	if of.Y.Label != "" {
		p.head++
	}
	p.foot = 1
	if of.X.Label != "" {
		p.foot = 2
	}
	if of.Field == nil {
		p.foot++ // the line of the axis
	}

	p.lines = max(3, height-p.head-p.foot)
	p.width = width - 6
	if f := of.Field; f != nil && f.Rows > 0 && f.Columns > 0 {
		p.width, p.lines = fieldSize(f.ShapeOf(), p.width, p.lines)
	}

	p.yTicks = of.Y.Marks(max(2, p.lines/4))
	for _, t := range p.yTicks {
		p.left = max(p.left, table.Width(t.Label)+1)
	}
	p.left = min(p.left, width/3)
	p.width = max(4, min(p.width, width-p.left))

	for most := 9; ; most-- {
		p.xTicks = of.X.Marks(most)
		longest := 0
		for _, t := range p.xTicks {
			longest = max(longest, table.Width(t.Label))
		}
		if most <= 2 || len(p.xTicks)*(longest+3) <= p.width {
			return p
		}
	}
}

// draw draws the panel with its upper left corner at (x, y).
func (p *panel) draw(out *canvas, x, y int, scale *chart.Scale) {
	right := x + p.left + p.width
	if p.of.Title != "" {
		out.text(x+p.left, y, right, p.of.Title, false)
	}
	if p.of.Y.Label != "" {
		out.text(x, y+p.head-1, right, p.of.Y.Label, false)
	}

	top := y + p.head
	left := x + p.left
	switch {
	case p.of.Field != nil:
		p.drawField(out, left, top, scale)
	default:
		// Draw the lines beside the data.
		for i := range p.lines {
			*out.at(left-1, top+i) = cell{r: '│'}
		}
		for i := range p.width {
			*out.at(left+i, top+p.lines) = cell{r: '─'}
		}
		*out.at(left-1, top+p.lines) = cell{r: '└'}

		p.drawBars(out, left, top)
		p.drawLines(out, left, top)
	}
	p.labels(out, left, top)
}

// labels writes the ticks and the title of the x axis.
func (p *panel) labels(out *canvas, left, top int) {
	for _, t := range p.yTicks {
		at := p.of.Y.Position(t.At)
		if !(at >= 0 && at <= 1) {
			continue
		}
		line := top + min(p.lines-1, int((1-at)*float64(p.lines)))
		n := table.Width(t.Label)
		start := max(0, left-1-n)
		out.text(start, line, left-1, t.Label, false)
		if p.of.Field == nil {
			*out.at(left-1, line) = cell{r: '┤'}
		}
	}

	line := top + p.lines
	if p.of.Field == nil {
		line++
	}
	end := left + p.width

	for _, t := range p.xTicks {
		at := p.of.X.Position(t.At)
		if !(at >= 0 && at <= 1) || t.Label == "" {
			continue
		}
		column := left + min(p.width-1, int(at*float64(p.width)))
		n := table.Width(t.Label)
		start := max(left-p.left, min(column-n/2, end-n))
		if !out.free(start-1, line, start+n+1) {
			continue
		}
		out.text(start, line, start+n, t.Label, false)
		if p.of.Field == nil {
			*out.at(column, line-1) = cell{r: '┬'}
		}
	}

	if label := table.Width(p.of.X.Label); label > 0 {
		out.text(max(left-p.left, left+(p.width-label)/2), line+1, end, p.of.X.Label, false)
	}
}

// drawField colours the cells: two for each character, above each other.
func (p *panel) drawField(out *canvas, left, top int, scale *chart.Scale) {
	f := p.of.Field
	value := func(x, y, height int) float64 {
		return f.Values[y*f.Rows/height*f.Columns+x*f.Columns/p.width]
	}

	for y := range p.lines {
		for x := range p.width {
			if p.screen.Depth == NoColor {
				t := scale.Position(value(x, y, p.lines))
				r := density(t)
				if t != t {
					r = noValue
				}
				*out.at(left+x, top+y) = cell{r: r}
				continue
			}

			above := scale.ColorOf(value(x, 2*y, 2*p.lines))
			below := scale.ColorOf(value(x, 2*y+1, 2*p.lines))
			*out.at(left+x, top+y) = cell{r: '▀', fg: above, bg: below}
			if p.screen.ASCII {
				*out.at(left+x, top+y) = cell{r: ' ', bg: below}
			}
		}
	}
}

// drawBars draws a histogram in eighths of characters.
func (p *panel) drawBars(out *canvas, left, top int) {
	b := p.of.Bars
	if b == nil || len(b.Counts) == 0 {
		return
	}

	fill := seriesColor(b.Color, p.screen)
	for x := range p.width {
		at := p.of.Y.Position(b.Counts[x*len(b.Counts)/p.width])
		if !(at > 0) {
			continue
		}

		eighths := max(1, int(math.Round(min(1, at)*float64(8*p.lines))))
		for y := p.lines - 1; y >= 0 && eighths > 0; y-- {
			r := '█'
			if n := min(8, eighths); n < 8 {
				if r = '▁' + rune(n-1); p.screen.ASCII {
					r = '.'
				}
			}
			*out.at(left+x, top+y) = cell{r: r, fg: fill}
			eighths -= 8
		}
	}
}

// seriesColor returns the colour of a series on a terminal of any background.
func seriesColor(number int, s Screen) color.RGBA {
	if s.Depth == NoColor {
		return color.RGBA{}
	}
	series := []color.RGBA{ // at 3 times the contrast of white, and more of black
		{0x3a, 0x98, 0xdc, 255}, {0xdf, 0x75, 0x1f, 255}, {0x1c, 0xa5, 0x7c, 255}, {0xc5, 0x79, 0xa6, 255},
		{0xb3, 0x8b, 0x1b, 255}, {0x58, 0x98, 0xbe, 255}, {0x96, 0x87, 0xd1, 255}, {0x91, 0x91, 0x91, 255},
	}
	return series[number%len(series)]
}

// mark returns the character of a series where there is no Braille.
func (s Screen) mark(number int) rune {
	if !s.ASCII {
		if s.Depth == NoColor {
			return []rune("●○■□▲△◆◇")[number%8]
		}
		return '●'
	}
	return rune("*o+x#%@="[number%8])
}
