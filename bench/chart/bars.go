package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// A Group is one panel of bars: a bar per series for each category. NaN leaves a place empty.
type Group struct {
	Title      string
	Categories []string
	Series     []Series
}

// A Series is a named row of values; Color numbers it among all charts.
type Series struct {
	Name   string
	Values []float64
	Color  int
}

// Bars draws groups beside each other, or below each other if they have many bars. A log axis begins at a power of ten that leaves something of the smallest bar.
// A reference other than 0 is drawn as a line.
func Bars(dir, name, yLabel string, log bool, reference float64, groups ...Group) error {
	row := make([]*plot.Plot, len(groups))
	widest := 0
	for i, g := range groups {
		p, err := barPanel(g, yLabel, log, reference)
		if err != nil {
			return err
		}
		row[i] = p
		widest = max(widest, len(g.Categories)*(len(g.Series)+1))
	}
	panels := [][]*plot.Plot{row}
	if widest > 24 { // too wide to stand beside each other
		panels = nil
		for _, p := range row {
			panels = append(panels, []*plot.Plot{p})
		}
	}
	return save(dir, name, panels, vg.Length(110+14*widest), 260)
}

func barPanel(g Group, yLabel string, log bool, reference float64) (*plot.Plot, error) {
	p := newPlot(g.Title)
	p.Y.Label.Text = yLabel
	low, high := bounds(g.Series)
	if log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
		low, high = math.Pow(10, math.Floor(math.Log10(low/1.5))), high*2
	} else {
		low, high = 0, max(high, reference)*1.1
		p.Y.Tick.Marker = round{}
	}
	if reference > 0 {
		line, err := plotter.NewLine(plotter.XYs{{X: -0.6, Y: reference}, {X: float64(len(g.Categories)) - 0.4, Y: reference}})
		if err != nil {
			return nil, err
		}
		line.Dashes, line.Color = []vg.Length{3, 3}, Color(0)
		p.Add(line)
	}
	width := vg.Length(11)
	for k, s := range g.Series {
		b := &bars{values: s.Values, base: low, width: width, offset: width * (vg.Length(k) - vg.Length(len(g.Series)-1)/2), color: Color(s.Color)}
		p.Add(b)
		p.Legend.Add(s.Name, b)
	}
	p.Legend.Top = true
	p.NominalX(g.Categories...)
	if longest(g.Categories) > 8 {
		p.X.Tick.Label.Rotation = math.Pi / 6
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = -1, -0.5
	}
	p.X.Min, p.X.Max = -0.6, float64(len(g.Categories))-0.4
	p.Y.Min, p.Y.Max = low, high*headroom(len(g.Series), log)
	return p, nil
}

// headroom leaves place above the bars for the legend.
func headroom(series int, log bool) float64 {
	if log {
		return math.Pow(10, 0.15*float64(series))
	}
	return 1 + 0.07*float64(series)
}

func longest(texts []string) int {
	n := 0
	for _, t := range texts {
		n = max(n, len(t))
	}
	return n
}

// bounds returns the smallest and the largest value that is a number, 1 and 1 if there is none.
func bounds(series []Series) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range series {
		for _, v := range s.Values {
			if !math.IsNaN(v) && v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		return 1, 1
	}
	return low, high
}
