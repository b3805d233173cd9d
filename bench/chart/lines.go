package chart

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
	p.y = axis{low: low / 1.5, high: high * 3.5, log: true} // with place for the legend
	low, high = bounds(xs...)
	if in.LinearX {
		margin := max((high-low)*0.08, high*0.01)
		p.x = axis{low: low - margin, high: high + margin}
	} else {
		p.x = axis{low: low / 1.3, high: high * 1.3, log: true}
	}
	p.draw = func(out *picture, p *panel) {
		for _, l := range in.Lines {
			p.polyline(out, l)
		}
	}
	return p
}

// polyline draws one line with its points and their labels.
func (a *panel) polyline(out *picture, l Line) {
	color := Color(l.Color)
	for i := range l.X {
		x, y := a.x.at(l.X[i]), a.y.at(l.Y[i])
		if i > 0 {
			out.line(a.x.at(l.X[i-1]), a.y.at(l.Y[i-1]), x, y, color, 2, "")
		}
		out.circle(x, y, 3, color)
		if i < len(l.Labels) {
			out.text(x+4, y-3, 9, "start", color, l.Labels[i])
		}
	}
}
