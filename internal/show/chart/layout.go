package chart

import "math"

// A layout says where the parts of a chart are, in pixels.
type layout struct {
	width, height int
	left          int     // of the titles
	legend        []place // of the names of lines
	bar           box     // of the colours
	columns       int
	first         area // the upper left panel
	dx, dy        int  // from one panel to the next
}

type box struct{ left, top, width, height int }

// An area is where the data of a panel are drawn, with the font for its axes.
type area struct {
	box
	font int
}

// The sizes of charts that have none, and of what is around the areas.
const (
	usualWidth, usualHeight = 1080, 540 // of the data
	linesHeight             = 440
	rightMargin             = 40
	barHeight               = 18
	barSpace                = barHeight + 40 // with its labels
	legendRow               = 26
	smallFont, usualFont    = 10, 20
)

func (c *Chart) layout() layout {
	l := layout{columns: min(max(1, c.Columns), max(1, len(c.Panels)))}
	rows := (len(c.Panels) + l.columns - 1) / l.columns

	font := usualFont
	if l.columns > 1 || rows > 2 {
		font = smallFont
	}

	var left, above, below int // of the data of each panel
	for i := range c.Panels {
		left = max(left, c.Panels[i].leftSpace(font))
		above = max(above, c.Panels[i].above(font))
		below = max(below, c.Panels[i].below(font))
	}

	l.left = left
	top := 24
	switch {
	case c.Subtitle != "":
		top = 84
	case c.Title != "":
		top = 60
	}

	bottom := 16
	if c.Scale != nil {
		bottom = 34 - 10 + barSpace
	}

	gap := left
	if font == smallFont {
		gap = left + 14
	}

	width, height := c.dataSize(l.columns, rows)
	if c.Width > 0 {
		width = max(16, (c.Width-left-rightMargin-(l.columns-1)*gap)/l.columns)
	}

	top += l.placeLegend(c.legend(), top, max(usualWidth*2/3, min(usualWidth, l.columns*width)))
	if c.Height > 0 {
		height = max(16, (c.Height-top-bottom-rows*(above+below))/max(1, rows))
	}

	l.first = area{box{left, top + above, width, height}, font}
	l.dx = width + gap
	l.dy = height + above + below

	legendWidth := l.width
	l.width = left + l.columns*width + (l.columns-1)*gap + rightMargin
	l.height = top + rows*l.dy + bottom

	// The words above and beside the panels may be wider than these.
	if c.Width == 0 {
		titles := int(max(textWidth(30, c.Title), textWidth(20, c.Subtitle)))
		l.width = max(l.width, legendWidth, l.left+titles+rightMargin)
	}

	all := l.columns*width + (l.columns-1)*gap
	l.bar = box{left + all/6, l.height - barSpace, all * 2 / 3, barHeight}
	return l
}

// placeLegend places names of lines in rows below top, and returns the height of these.
func (l *layout) placeLegend(lines []Line, top, width int) int {
	x := 0
	rows := 1
	for _, line := range lines {
		wide := 34 + int(textWidth(usualFont, line.Name)) + 24
		if x > 0 && x+wide > width {
			x = 0
			rows++
		}

		l.legend = append(l.legend, place{float64(l.left + x), float64(top + rows*legendRow - 16)})
		x += wide
		l.width = max(l.width, l.left+x)
	}

	if len(lines) == 0 {
		return 0
	}
	return rows * legendRow
}

// dataSize returns the size of each panel's data for charts that have none: cells of fields are
// squares unless that makes the panel too narrow.
func (c *Chart) dataSize(columns, rows int) (width, height int) {
	width = usualWidth
	height = linesHeight
	if len(c.Panels) > 0 && c.Panels[0].Field != nil {
		width, height = FieldSize(c.Panels[0].Field.ShapeOf())
	}

	if columns > 1 {
		width, height = width/columns, height/columns
	}

	if rows > 2 && columns == 1 {
		height = height * 2 / rows
	}
	return max(width, 40), max(height, 40)
}

// Points is how many points of a line a chart of usual size shows.
const Points = usualWidth

// FieldSize returns the size in pixels of a field of a shape, in a chart of usual size with one
// panel.
func FieldSize(shape float64) (width, height int) {
	shape = min(1.25, max(0.3, shape))
	width = usualWidth
	if shape > 0.65 {
		width = int(700 / shape)
	}
	return width, int(math.Round(float64(width) * shape))
}

// area returns where the data of a panel are.
func (l *layout) area(i int) area {
	a := l.first
	a.left += i % l.columns * l.dx
	a.top += i / l.columns * l.dy
	return a
}

// ticksAcross returns how many ticks fit in a width if their labels have so many characters.
func ticksAcross(width, font, characters int) int {
	return max(2, int(float64(width)/(textWidth(font, "0")*1.2*float64(characters+3))))
}

// xTicks returns the ticks of the x axis that fit.
func (p *Panel) xTicks(a area) []Tick { return fitting(&p.X, a.width, a.font) }

// fitting returns as many ticks as fit in a width.
func fitting(a *Axis, width, font int) []Tick {
	for most := 12; ; most-- {
		ticks := a.Marks(most)
		longest := longestLabel(ticks)
		if most <= 2 || len(ticks) <= ticksAcross(width, font, longest)+1 {
			return ticks
		}
	}
}

func (p *Panel) yTicks(a area) []Tick { return p.Y.Marks(max(2, a.height/(3*a.font))) }

func longestLabel(ticks []Tick) int {
	n := 0
	for _, t := range ticks {
		n = max(n, len([]rune(t.Label)))
	}
	return n
}

// leftSpace returns the width of what is left of a panel's data.
func (p *Panel) leftSpace(font int) int {
	space := 18
	if p.Y.Label != "" {
		space += font + 8
	}

	n := 1
	for _, most := range []int{3, 5, 8, 12} {
		n = max(n, longestLabel(p.Y.Marks(most)))
	}
	return max(40, space+(n*advance-1)*fontScale(font))
}

// above and below return the heights of what is above and below a panel's data.
func (p *Panel) above(font int) int {
	if p.Title == "" {
		return 0
	}
	return font + 8
}

func (p *Panel) below(font int) int {
	space := 14 + font
	if p.X.Label != "" {
		space += font + 6
	}
	return space
}
