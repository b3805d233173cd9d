package viewing

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/internal/show/sampling"
)

// lines returns a chart with a line for each subject.
func lines(ctx context.Context, subjects []Subject, o *Options) (*chart.Chart, error) {
	c := &chart.Chart{Title: title(subjects)}
	p := chart.Panel{}
	apart := names(subjects)
	var all []float64

	for i := range subjects {
		l, x, note, err := line(ctx, &subjects[i], o)
		if err != nil {
			return nil, err
		}
		l.Color = i

		if len(subjects) > 1 {
			l.Name = apart[i]
		} else {
			c.Subtitle = subjects[i].where(ctx) + note
		}

		low, high := finite(l.X, false)
		if i == 0 {
			p.X = chart.Axis{Label: x.label, Kind: x.kind, Whole: x.values == nil, Low: low, High: high}
		} else if x.kind != p.X.Kind {
			return nil, fmt.Errorf("%s and %s have different kinds of coordinates", subjects[0].Place, subjects[i].Place)
		}

		p.X.Low, p.X.High = min(p.X.Low, low), max(p.X.High, high)
		p.Lines = append(p.Lines, *l)
		all = append(append(append(all, l.Y...), l.Lows...), l.Highs...)
	}

	if !(p.X.Low < p.X.High) {
		p.X.Low, p.X.High = p.X.Low-0.5, p.X.High+0.5
	}

	p.Y = chart.Axis{Log: o.Log, Label: subjects[0].valueLabel(c.Title == "" && len(subjects) == 1)}
	p.Y.Low, p.Y.High = o.Limits.of(all, o.Log)
	if !o.Log && !o.Limits.given() { // some air above and below
		air := (p.Y.High - p.Y.Low) * 0.04
		p.Y.Low, p.Y.High = p.Y.Low-air, p.Y.High+air
	}

	if subjects[0].dates() {
		p.Y.Kind = chart.Times
		p.Y.Label = ""
	}

	c.Panels = []chart.Panel{p}
	return c, nil
}

// line reads a subject of one dimension: its items, or the means and the extremes of several.
func line(ctx context.Context, s *Subject, o *Options) (*chart.Line, *ruler, string, error) {
	x, err := newRuler(ctx, s.Array.Axes[0], s.First)
	if err != nil {
		return nil, nil, "", err
	}

	cells, how, err := s.cells(ctx, o, 1, o.Points)
	if err != nil {
		return nil, nil, "", err
	}

	l := &chart.Line{Y: how.of(cells)}
	per := float64(x.n) / float64(cells.Columns)
	for i := range cells.Columns {
		l.X = append(l.X, x.value((float64(i)+0.5)*per-0.5))
	}
	l.Points = cells.Single && cells.Columns <= 60

	note := ""
	if !cells.Single {
		if how == Mean {
			l.Lows = cells.Lows
			l.Highs = cells.Highs
		}
		note = how.note(per)
	}
	return l, x, note, nil
}

// histogram returns a chart of how often values occur: bars for one subject, lines for several.
func histogram(ctx context.Context, subjects []Subject, o *Options) (*chart.Chart, error) {
	c := &chart.Chart{Title: title(subjects)}
	low, high, err := histogramLimits(ctx, subjects, o)
	if err != nil {
		return nil, err
	}

	p := chart.Panel{X: chart.Axis{Label: subjects[0].valueLabel(c.Title == ""), Low: low, High: high}}
	p.Y = chart.Axis{Label: "items", Whole: true, High: 1}
	if subjects[0].dates() {
		p.X.Kind = chart.Times
		p.X.Label = ""
	}

	bars := max(1, o.Bars)
	apart := names(subjects)

	for i := range subjects {
		h, err := sampling.Count(ctx, subjects[i].sample(o), bars, low, high)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", subjects[i].Place, err)
		}

		_, most := finite(h.Counts, false)
		p.Y.High = max(p.Y.High, most*1.04)
		if len(subjects) == 1 {
			p.Bars = &chart.Bars{Counts: h.Counts}
			c.Subtitle = subjects[i].where(ctx) + countsNote(h)
			continue
		}

		l := chart.Line{Name: apart[i], Color: i, Y: h.Counts}
		for k := range h.Counts {
			l.X = append(l.X, low+(high-low)*(float64(k)+0.5)/float64(bars))
		}
		p.Lines = append(p.Lines, l)
	}

	if o.Log {
		p.Y.Log = true
		p.Y.Low = 0.5
	}

	c.Panels = []chart.Panel{p}
	return c, nil
}

// histogramLimits returns the range of values that is counted.
func histogramLimits(ctx context.Context, subjects []Subject, o *Options) (low, high float64, err error) {
	var extremes []float64
	needed := !(o.Limits.low.given && o.Limits.high.given) || o.Limits.low.percent || o.Limits.high.percent
	for i := range subjects {
		if !needed {
			break
		}

		if o.Limits.low.percent || o.Limits.high.percent {
			return 0, 0, fmt.Errorf("a histogram counts from value to value; give -limits without %%")
		}

		from, to, err := sampling.Extent(ctx, subjects[i].sample(o))
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", subjects[i].Place, err)
		}
		extremes = append(extremes, from, to)
	}

	low, high = o.Limits.of(extremes, false)
	return low, high, nil
}

// countsNote tells what is not in the bars.
func countsNote(h *sampling.Histogram) string {
	note := ""
	total := 0.0
	for _, n := range h.Counts {
		total += n
	}

	note += fmt.Sprintf("; %.0f items", total)
	if h.NaN > 0 {
		note += fmt.Sprintf(", %d NaN left out", h.NaN)
	}
	if h.Outside > 0 {
		note += fmt.Sprintf(", %d outside", h.Outside)
	}
	return note
}
