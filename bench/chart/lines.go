package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Panel is one place of a grid of lines over logarithmic axes.
type Panel struct {
	Title, X, Y string
	LinearX     bool
	Lines       []Line
}

// A Line is a named row of points; a point may have a label.
type Line struct {
	Name   string
	X, Y   []float64
	Labels []string
	Color  int
}

// Lines draws a grid of panels; each row must have as many.
func Lines(dir, name string, rows [][]Panel) error {
	plots := make([][]*plot.Plot, len(rows))
	for i, row := range rows {
		for _, panel := range row {
			p, err := linePanel(panel)
			if err != nil {
				return err
			}
			plots[i] = append(plots[i], p)
		}
	}
	return save(dir, name, plots, 250, 230)
}

func linePanel(panel Panel) (*plot.Plot, error) {
	p := newPlot(panel.Title)
	p.X.Label.Text, p.Y.Label.Text = panel.X, panel.Y
	for _, l := range panel.Lines {
		if err := addLine(p, l); err != nil {
			return nil, err
		}
	}
	p.Add(plotter.NewGrid())
	p.Legend.Top = true
	var xs, ys []Series
	for _, l := range panel.Lines {
		xs, ys = append(xs, Series{Values: l.X}), append(ys, Series{Values: l.Y})
	}
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	low, high := bounds(ys)
	p.Y.Min, p.Y.Max = low/1.5, high*3.5 // with place for the legend
	low, high = bounds(xs)
	if panel.LinearX {
		margin := max((high-low)*0.08, high*0.01)
		p.X.Min, p.X.Max, p.X.Tick.Marker = low-margin, high+margin, round{}
		return p, nil
	}
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decades{}
	p.X.Min, p.X.Max = low/1.3, high*1.3
	return p, nil
}

func addLine(p *plot.Plot, l Line) error {
	points := make(plotter.XYs, len(l.X))
	for i := range l.X {
		points[i].X, points[i].Y = l.X[i], l.Y[i]
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = Color(l.Color), vg.Points(1.5)
	dots.Color, dots.Shape, dots.Radius = Color(l.Color), draw.CircleGlyph{}, vg.Points(2.5)
	p.Add(line, dots)
	p.Legend.Add(l.Name, line, dots)
	if l.Labels == nil {
		return nil
	}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: points, Labels: l.Labels})
	if err != nil {
		return err
	}
	labels.Offset = vg.Point{X: 3, Y: 2}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Size = 7
		labels.TextStyle[i].Font.Variant = "Sans"
		labels.TextStyle[i].Color = Color(l.Color)
	}
	p.Add(labels)
	return nil
}
