package chart

import draw "github.com/cairn-go/cairn/internal/show/chart"

// A Panel is one diagram of lines over logarithmic axes.
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

// Lines draws a grid of panels as NAME.svg in dir.
func Lines(dir, name string, rows [][]Panel) error {
	panels := make([][]*panel, len(rows))
	for i, row := range rows {
		for _, p := range row {
			panels[i] = append(panels[i], linePanel(p))
		}
	}
	return save(dir, name, panels, 330, 300)
}

func linePanel(in Panel) *panel {
	p := &panel{title: in.Title, xLabel: in.X, yLabel: in.Y}
	var xs, ys [][]float64
	for _, l := range in.Lines {
		xs, ys = append(xs, l.X), append(ys, l.Y)
		p.legend = append(p.legend, entry{l.Name, Color(l.Color)})
	}
	low, high := bounds(ys...)
	// with place for the legend
	p.y = axis{Axis: draw.Axis{Low: low / 1.5, High: high * 3.5, Log: true}}
	low, high = bounds(xs...)
	if in.LinearX {
		margin := max((high-low)*0.08, high*0.01)
		p.x = axis{Axis: draw.Axis{Low: low - margin, High: high + margin}}
	} else {
		p.x = axis{Axis: draw.Axis{Low: low / 1.3, High: high * 1.3, Log: true}}
	}
	p.draw = func(out *draw.Picture, p *panel) {
		for _, l := range in.Lines {
			p.polyline(out, l)
		}
	}
	return p
}

// polyline draws one line with its points and their labels.
func (a *panel) polyline(out *draw.Picture, l Line) {
	color := Color(l.Color)
	for i := range l.X {
		x, y := a.x.at(l.X[i]), a.y.at(l.Y[i])
		if i > 0 {
			out.Line(draw.Stroke{Color: color, Width: 2}, a.x.at(l.X[i-1]), a.y.at(l.Y[i-1]), x, y)
		}
		out.Circle(x, y, 3, color)
		if i < len(l.Labels) {
			out.Text(x+4, y-3, 9, draw.Start, 0, color, l.Labels[i])
		}
	}
}
