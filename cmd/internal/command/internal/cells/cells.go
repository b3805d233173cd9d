// Package cells shows charts in terminals: fields in half blocks of colour or as characters of
// rising density, lines in dots of Braille, histograms in blocks.
package cells

import (
	"io"
	"math"
	"strings"

	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/internal/show/table"
)

// Depth is how many colours a terminal has.
type Depth uint8

// The depths.
const (
	NoColor Depth = iota
	Palette       // of 256
	TrueColor
)

// A Screen is what a terminal can show.
type Screen struct {
	Width, Height int // in characters
	Depth         Depth
	ASCII         bool // no other characters
}

// The least size of a chart.
const (
	leastWidth  = 20
	leastHeight = 8
)

// FieldSize returns about how many values across and down a field of a shape, height over width,
// shows.
func (s Screen) FieldSize(shape float64) (width, height int) {
	const beside, above = 6, 5 // labels
	width, height = fieldSize(shape, max(s.Width, leastWidth)-beside, max(s.Height, leastHeight)-above)
	if s.Depth != NoColor {
		height *= 2
	}
	return width, height
}

// Points returns how many points of a line a screen shows.
func (s Screen) Points() int { return max(s.Width, leastWidth) * dotsAcross }

// fieldSize returns the size of a field in characters within a width and a height. A field keeps
// its shape, unless it is very narrow. A character is twice as high as wide.
func fieldSize(shape float64, width, height int) (w, h int) {
	if want := int(math.Round(float64(width) * shape / 2)); want < height {
		return width, max(3, want)
	}
	if narrow := int(float64(height) / shape * 2); narrow >= 16 {
		width = min(width, narrow)
	}
	return width, height
}

// Write draws a chart as lines of text.
func Write(w io.Writer, c *chart.Chart, s Screen) error {
	s.Width, s.Height = max(s.Width, leastWidth), max(s.Height, leastHeight)
	columns := min(max(1, c.Columns), max(1, len(c.Panels)))
	for columns > 1 && s.Width/columns < leastWidth+8 {
		columns--
	}
	rows := (len(c.Panels) + columns - 1) / columns

	titles := wrapped(c.Title, s.Width)
	subtitles := wrapped(c.Subtitle, s.Width)
	head := len(titles) + len(subtitles)
	names := legend(c)
	if len(names) > 0 {
		head++
	}
	foot := 0
	if c.Scale != nil {
		foot = 1
	}

	width := (s.Width - 2*(columns-1)) / columns
	height := max(leastHeight, (s.Height-head-foot)/max(1, rows))
	panels := make([]*panel, len(c.Panels))
	all := head + foot
	for i := range c.Panels {
		most := height
		if c.Panels[i].Field == nil {
			most = min(height, max(leastHeight, width*2/5)) // lines and bars wider than high
		}
		panels[i] = layOut(&c.Panels[i], s, width, most)
		if i%columns == 0 {
			all += panels[i].height()
		}
	}

	out := &canvas{s.Width, all, make([]cell, s.Width*all)}
	y := 0
	for i, line := range append(titles, subtitles...) {
		out.text(0, y, s.Width, line, i < len(titles))
		y++
	}

	if len(names) > 0 {
		drawLegend(out, y, names, s)
		y++
	}
	for i, p := range panels {
		p.draw(out, i%columns*(width+2), y, c.Scale)
		if i%columns == columns-1 {
			y += p.height()
		}
	}

	if c.Scale != nil {
		drawScale(out, out.height-1, c.Scale, s, c.HasGaps())
	}
	return out.write(w, s)
}

// wrapped returns a text in lines, none for an empty one.
func wrapped(text string, width int) []string {
	if text == "" {
		return nil
	}
	return table.Wrap(text, width)
}

// legend returns the lines with names, once each.
func legend(c *chart.Chart) (lines []chart.Line) {
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

func drawLegend(out *canvas, y int, lines []chart.Line, s Screen) {
	x := 0
	for _, l := range lines {
		if x+3 >= s.Width {
			return
		}
		*out.at(x, y) = cell{r: s.mark(l.Color), fg: seriesColor(l.Color, s)}
		out.text(x+2, y, s.Width, l.Name, false)
		x += 2 + table.Width(l.Name) + 3
	}
}

// noValue is the character of places without a value, and of those of negative logarithms, where
// there are no colours.
const noValue = '/'

// drawScale draws the colours between their ends, and what stands for NaN if there are some.
func drawScale(out *canvas, y int, scale *chart.Scale, s Screen, gaps bool) {
	ends := scaleEnds(scale)
	low := ends[0]
	high := ends[1]
	label := scale.Label
	room := s.Width - table.Width(low) - table.Width(high) - 2
	if table.Width(label) > room/2 {
		label = ""
	}

	length := min(60, room-table.Width(label)-1)
	if gaps {
		length = min(length, room-table.Width(label)-1-len("  / NaN"))
	}
	if length < 4 {
		return
	}

	out.text(0, y, s.Width, low, false)
	x := table.Width(low) + 1
	for i := range length {
		t := (float64(i) + 0.5) / float64(length)
		if s.Depth == NoColor {
			*out.at(x+i, y) = cell{r: density(t)}
		} else {
			*out.at(x+i, y) = cell{r: ' ', bg: scale.Colours.At(t)}
		}
	}

	end := strings.TrimSpace(high + " " + label)
	out.text(x+length+1, y, s.Width, end, false)
	if !gaps {
		return
	}
	x += length + 1 + table.Width(end) + 2
	if *out.at(x, y) = (cell{r: noValue}); s.Depth != NoColor {
		*out.at(x, y) = cell{r: ' ', bg: chart.Absent()}
	}
	out.text(x+2, y, s.Width, "NaN", false)
}

// scaleEnds returns the values at the ends of a scale as texts.
func scaleEnds(scale *chart.Scale) (ends [2]string) {
	step := (scale.High - scale.Low) / 10
	for i, v := range []float64{scale.Low, scale.High} {
		if ends[i] = chart.Number(v); scale.Kind == chart.Times {
			ends[i] = chart.TimeText(v, step)
		}
	}
	return ends
}

// density returns a character that is the denser the larger t is.
func density(t float64) rune {
	const ramp = " .:-=+*#%@"
	return rune(ramp[min(len(ramp)-1, max(0, int(t*float64(len(ramp)))))])
}
