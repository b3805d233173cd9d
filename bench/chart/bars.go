package chart

import (
	"math"
	"unicode/utf8"

	draw "github.com/cairn-go/cairn/internal/show/chart"
)

// A Group is one panel of bars: a bar per series for each category. NaN means no bar.
type Group struct {
	Title      string
	Categories []string
	Series     []Series
}

// A Series is a named row of values. Color is its number in all charts.
type Series struct {
	Name   string
	Values []float64
	Color  int
}

// barWidth is the width of a bar in pixels.
const barWidth = 14

// Bars draws groups beside each other, or below each other if they have many bars, as NAME.svg in
// dir. A log axis begins at a power of ten at which the smallest bar is visible. A reference other
// than 0 is drawn as a line.
func Bars(dir, name, yLabel string, log bool, reference float64, groups ...Group) error {
	row := make([]*panel, len(groups))
	widest := 0
	for i, g := range groups {
		row[i] = barPanel(g, yLabel, log, reference)
		widest = max(widest, len(g.Categories)*(len(g.Series)+1))
	}
	rows := [][]*panel{row}
	if widest > 24 { // too wide to stand beside each other
		rows = nil
		for _, p := range row {
			rows = append(rows, []*panel{p})
		}
	}
	return save(dir, name, rows, float64(marginLeft+marginRight+max(160, (barWidth+4)*widest)), 330)
}

func barPanel(g Group, yLabel string, log bool, reference float64) *panel {
	p := &panel{title: g.Title, yLabel: yLabel, names: g.Categories, slanted: longest(g.Categories) > 8}
	values := make([][]float64, len(g.Series))
	for i, s := range g.Series {
		values[i] = s.Values
		p.legend = append(p.legend, entry{s.Name, Color(s.Color)})
	}
	p.x = axis{Axis: draw.Axis{Low: -0.6, High: float64(len(g.Categories)) - 0.4}}
	p.y = axis{Axis: draw.Axis{Log: log}}
	p.y.Low, p.y.High = bounds(values...)
	if log {
		p.y.Low, p.y.High = math.Pow(10, math.Floor(math.Log10(p.y.Low/1.5))), p.y.High*2
	} else {
		p.y.Low, p.y.High = 0, max(p.y.High, reference)*1.1
	}
	p.y.High *= headroom(len(g.Series), log)
	p.draw = func(out *draw.Picture, p *panel) {
		if reference > 0 {
			y := p.y.at(reference)
			out.Line(draw.Stroke{Color: faint, Width: 1, Dash: 4}, p.x.from, y, p.x.to, y)
		}
		for k, s := range g.Series {
			p.bars(out, s, barWidth*(float64(k)-float64(len(g.Series))/2))
		}
	}
	return p
}

// bars draws the bars of one series, each offset pixels beside the middle of its category.
func (a *panel) bars(out *draw.Picture, s Series, offset float64) {
	base := a.y.at(a.y.Low)
	for i, v := range s.Values {
		if math.IsNaN(v) || v < a.y.Low {
			continue
		}
		top := a.y.at(v)
		out.Rect(a.x.at(float64(i))+offset, top, barWidth-1.5, base-top, Color(s.Color))
	}
}

// headroom returns the factor for the space above the bars, for the legend.
func headroom(series int, log bool) float64 {
	if log {
		return math.Pow(10, 0.15*float64(series))
	}
	return 1 + 0.07*float64(series)
}

func longest(texts []string) int {
	n := 0
	for _, t := range texts {
		n = max(n, utf8.RuneCountInString(t))
	}
	return n
}
