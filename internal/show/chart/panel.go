package chart

import (
	"image"
	"image/color"
	"math"
)

// draw draws a panel.
func (p *Panel) draw(out *Picture, s *Scale, a area) {
	left := float64(a.left)
	top := float64(a.top)
	right := left + float64(a.width)
	bottom := top + float64(a.height)
	middle := left + float64(a.width)/2

	out.Text(middle, top-6, a.font, Middle, 0, ink, p.Title)
	if p.Field != nil {
		out.bitmap(a.left, a.top, a.width, a.height, p.Field.image(s, a.width, a.height))
	} else {
		p.gridLines(out, a, Stroke{Color: pale, Width: 1})
	}

	p.drawBars(out, a)
	for i := range p.Lines {
		p.drawLine(out, &p.Lines[i], a)
	}

	if p.Field != nil && p.Grid {
		p.gridLines(out, a, Stroke{color.RGBA{24, 28, 36, 76}, 1, 3})
	}

	edge := Stroke{Color: ink, Width: 1}
	if p.Field != nil {
		out.Line(edge, left-1, top-0.5, right+1, top-0.5)
		out.Line(edge, right+0.5, top-1, right+0.5, bottom+1)
	}
	out.Line(edge, left-1, bottom+0.5, right+1, bottom+0.5)
	out.Line(edge, left-0.5, top-1, left-0.5, bottom+1)

	p.labels(out, a)
}

// x and y return pixels of values.
func (p *Panel) x(v float64, a area) float64 {
	return float64(a.left) + p.X.Position(v)*float64(a.width)
}

func (p *Panel) y(v float64, a area) float64 {
	return float64(a.top) + (1-p.Y.Position(v))*float64(a.height)
}

// shown reports whether the position of a tick is inside of an axis.
func shown(at float64) bool { return at >= -1e-9 && at <= 1+1e-9 }

// gridLines draws a line across the data at each tick.
func (p *Panel) gridLines(out *Picture, a area, s Stroke) {
	left := float64(a.left)
	top := float64(a.top)

	for _, t := range p.xTicks(a) {
		if at := p.X.Position(t.At); shown(at) && (p.Field == nil || at > 0 && at < 1) {
			x := math.Floor(p.x(t.At, a)) + 0.5
			out.Line(s, x, top, x, top+float64(a.height))
		}
	}

	for _, t := range p.yTicks(a) {
		if at := p.Y.Position(t.At); shown(at) && (p.Field == nil || at > 0 && at < 1) {
			y := math.Floor(p.y(t.At, a)) + 0.5
			out.Line(s, left, y, left+float64(a.width), y)
		}
	}
}

// labels writes what is beside the axes.
func (p *Panel) labels(out *Picture, a area) {
	capitals := float64(capHeight * fontScale(a.font))
	below := float64(a.top+a.height) + 8 + capitals

	for _, t := range p.xTicks(a) {
		if shown(p.X.Position(t.At)) {
			x := p.x(t.At, a)
			if t.Label != "" && !p.Grid {
				edge := math.Floor(x) + 0.5
				out.Line(Stroke{Color: ink, Width: 1}, edge, float64(a.top+a.height), edge, float64(a.top+a.height+5))
			}

			half := math.Ceil(textWidth(a.font, t.Label) / 2)
			x = max(half+2, min(x, float64(out.width)-half-2))
			out.Text(x, below+2, a.font, Middle, 0, faint, t.Label)
		}
	}

	for _, t := range p.yTicks(a) {
		if shown(p.Y.Position(t.At)) {
			y := p.y(t.At, a)
			if t.Label != "" && !p.Grid {
				edge := math.Floor(y) + 0.5
				out.Line(Stroke{Color: ink, Width: 1}, float64(a.left-5), edge, float64(a.left), edge)
			}

			out.Text(float64(a.left-8), math.Round(y+capitals/2), a.font, End, 0, faint, t.Label)
		}
	}

	out.Text(float64(a.left+a.width/2), below+float64(a.font)+6, a.font, Middle, 0, ink, p.X.Label)
	side := float64(a.left-p.leftSpace(a.font)) + capitals + 6
	out.Text(side, float64(a.top+a.height/2), a.font, Middle, -90, ink, p.Y.Label)
}

// drawBars draws a histogram.
func (p *Panel) drawBars(out *Picture, a area) {
	if p.Bars == nil {
		return
	}

	n := float64(len(p.Bars.Counts))
	for i, count := range p.Bars.Counts {
		at := p.Y.Position(count)
		if p.Y.Log && count <= 0 || !(at > 0) {
			continue
		}

		from := float64(a.left) + math.Round(float64(i)/n*float64(a.width))
		to := float64(a.left) + math.Round(float64(i+1)/n*float64(a.width))
		if to-from > 4 {
			to--
		}

		height := min(1, at) * float64(a.height)
		out.Rect(from, float64(a.top+a.height)-height, to-from, height, Series(p.Bars.Color))
	}
}

// drawLine draws one series: its band, the line, and a point where a value stands alone.
func (p *Panel) drawLine(out *Picture, l *Line, a area) {
	fill := Series(l.Color)
	if l.Lows != nil {
		p.drawBand(out, l, a)
	}

	var points []float64
	flush := func() {
		if len(points) == 2 {
			out.Circle(points[0], points[1], 2, fill)
		}
		out.Line(Stroke{Color: fill, Width: 2}, points...)
		points = nil
	}

	clip := clipper{float64(a.left), float64(a.top), float64(a.left + a.width), float64(a.top + a.height)}

	var px, py float64
	before := false
	for i := range l.X {
		x := p.x(l.X[i], a)
		y := p.y(l.Y[i], a)
		if !(math.Abs(x) < 1e12 && math.Abs(y) < 1e12) {
			flush()
			before = false
			continue
		}

		if l.Points && clip.holds(x, y) {
			out.Circle(x, y, 3, fill)
		}

		// Only the part of a stretch that is within the panel is drawn, so a line may begin anew.
		if !before {
			if clip.holds(x, y) {
				points = append(points, x, y)
			}
		} else if x0, y0, x1, y1, ok := clip.segment(px, py, x, y); ok {
			if len(points) == 0 {
				points = append(points, x0, y0)
			}
			points = append(points, x1, y1)
			if x1 != x || y1 != y {
				flush()
			}
		} else {
			flush()
		}

		px = x
		py = y
		before = true
	}

	flush()
}

// drawBand fills between the lowest and the highest values.
func (p *Panel) drawBand(out *Picture, l *Line, a area) {
	fill := Series(l.Color)
	fill.A = 56
	top := float64(a.top)
	bottom := float64(a.top + a.height)

	for i := range l.X {
		low := p.y(l.Lows[i], a)
		high := p.y(l.Highs[i], a)
		if low != low || high != high {
			continue
		}

		from := p.x(l.X[i], a)
		to := p.x(l.X[i], a) + 1
		if i+1 < len(l.X) {
			to = p.x(l.X[i+1], a)
		}

		low, high = min(bottom, max(top, low)), min(bottom, max(top, high))
		from, to = max(float64(a.left), min(from, to)), min(float64(a.left+a.width), max(from, to))
		if to > from {
			out.Rect(from, min(low, high), to-from, max(1, math.Abs(high-low)), fill)
		}
	}
}

// A clipper keeps lines inside of a rectangle.
type clipper struct{ left, top, right, bottom float64 }

func (c clipper) holds(x, y float64) bool {
	return x >= c.left && x <= c.right && y >= c.top && y <= c.bottom
}

// segment returns the part of a segment that is inside; false if there is none.
func (c clipper) segment(ax, ay, bx, by float64) (x0, y0, x1, y1 float64, ok bool) {
	from := 0.0
	to := 1.0

	for _, edge := range [][2]float64{
		{ax - bx, ax - c.left}, {bx - ax, c.right - ax}, {ay - by, ay - c.top}, {by - ay, c.bottom - ay},
	} {
		towards := edge[0]
		room := edge[1]
		switch {
		case towards == 0 && room < 0:
			return 0, 0, 0, 0, false
		case towards < 0:
			from = max(from, room/towards)
		case towards > 0:
			to = min(to, room/towards)
		}
	}

	if from > to {
		return 0, 0, 0, 0, false
	}

	x0 = ax + from*(bx-ax)
	y0 = ay + from*(by-ay)
	x1 = ax + to*(bx-ax)
	y1 = ay + to*(by-ay)

	if from == 0 {
		x0 = ax
		y0 = ay
	}
	if to == 1 {
		x1 = bx
		y1 = by
	}
	return x0, y0, x1, y1, true
}

// drawBar draws the colours of the scale with their values.
func drawBar(out *Picture, s *Scale, l layout) {
	b := l.bar
	strip := image.NewRGBA(image.Rect(0, 0, b.width, 1))
	for x := range b.width {
		strip.SetRGBA(x, 0, s.Colours.At((float64(x)+0.5)/float64(b.width)))
	}

	out.bitmap(b.left, b.top, b.width, b.height, strip)
	left := float64(b.left)
	top := float64(b.top)
	right := float64(b.left + b.width)
	bottom := float64(b.top + b.height)
	out.Line(Stroke{Color: ink, Width: 1}, left-0.5, top-0.5, right+0.5, top-0.5, right+0.5, bottom+0.5,
		left-0.5, bottom+0.5, left-0.5, top-0.5)

	for _, t := range fitting(&s.Axis, b.width, usualFont) {
		at := s.Position(t.At)
		if !shown(at) {
			continue
		}

		x := left + math.Round(at*float64(b.width-1))
		out.Line(Stroke{Color: ink, Width: 1}, x+0.5, bottom+1, x+0.5, bottom+6)
		out.Text(x, bottom+10+14, usualFont, Middle, 0, ink, t.Label)
	}
	out.Text(right+16, top+2+14, usualFont, Start, 0, ink, s.Label)
}

// drawAbsent explains the colour of places without a value, at the left of the bar if there is
// room.
func drawAbsent(out *Picture, l layout) {
	const side, space = barHeight, 12
	b := l.bar
	left := b.left - space - side
	if left < space+int(textWidth(usualFont, absentName)) {
		return
	}

	box := image.NewRGBA(image.Rect(0, 0, 1, 1))
	box.SetRGBA(0, 0, Absent())
	out.bitmap(left, b.top, side, side, box)
	out.Text(float64(left-space/2), float64(b.top+2+14), usualFont, End, 0, ink, absentName)
}

// absentName is what a legend calls places without a value.
const absentName = "NaN"
