package viewing

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/internal/show/sampling"
)

// fields returns a chart with a panel for each slice of two dimensions.
func fields(ctx context.Context, subjects []Subject, o *Options) (*chart.Chart, error) {
	shown, err := planes(ctx, subjects, o)
	if err != nil {
		return nil, err
	}

	c := &chart.Chart{Title: title(shown)}
	var all []float64
	note := ""
	apart := names(shown)

	for i, s := range shown {
		p, cells, how, err := fieldPanel(ctx, &s, len(shown), o)
		if err != nil {
			return nil, err
		}

		if len(shown) > 1 {
			p.Title = s.panelTitle(ctx, apart[i])
		}
		c.Panels = append(c.Panels, *p)
		all = append(all, p.Field.Values...)

		if note == "" {
			if shape := s.Array.View.Shape(); !cells.Single {
				note = how.note(float64(shape[0])/float64(cells.Rows), float64(shape[1])/float64(cells.Columns))
			}
		}
	}

	if len(shown) == 1 {
		c.Subtitle = shown[0].where(ctx)
	} else if len(subjects) == 1 {
		c.Subtitle = shown[0].Place
	}

	c.Subtitle = strings.TrimPrefix(c.Subtitle+note, "; ")
	c.Columns = columnsFor(len(c.Panels))

	if c.Scale, err = scaleOf(&shown[0], all, o); err != nil {
		return nil, err
	}
	return c, nil
}

// panelTitle returns what tells the slice from the others.
func (s *Subject) panelTitle(ctx context.Context, name string) string {
	if fixed := s.fixed(ctx); fixed != "" {
		return fixed
	}
	return name
}

// columnsFor returns how many panels are beside each other.
func columnsFor(panels int) int { return int(math.Ceil(math.Sqrt(float64(panels)))) }

// planes returns the slices of two dimensions: the first ones of subjects with more.
func planes(ctx context.Context, subjects []Subject, o *Options) (shown []Subject, err error) {
	for _, s := range subjects {
		for len(s.Array.View.Shape()) > 3 {
			if s, err = s.pick(ctx, 0); err != nil {
				return nil, err
			}
		}

		shape := s.Array.View.Shape()
		if len(shape) == 2 {
			shown = append(shown, s)
			continue
		}

		for i := range min(shape[0], int64(max(1, o.Grid))) {
			part, err := s.pick(ctx, i)
			if err != nil {
				return nil, err
			}
			shown = append(shown, part)
		}
	}
	return shown, nil
}

// fieldPanel reads one slice.
func fieldPanel(ctx context.Context, s *Subject, panels int, o *Options) (
	*chart.Panel, *sampling.Cells, Reduction, error,
) {
	shape := s.Array.View.Shape()
	y, err := newRuler(ctx, s.Array.Axes[0], s.First)
	if err != nil {
		return nil, nil, "", err
	}

	x, err := newRuler(ctx, s.Array.Axes[1], 0)
	if err != nil {
		return nil, nil, "", err
	}

	p := &chart.Panel{X: x.edges(), Y: y.edges()}
	p.Grid = p.X.Kind == chart.Longitudes && p.Y.Kind == chart.Latitudes

	aspect := float64(shape[0]) / float64(shape[1])
	if p.Grid {
		aspect = math.Abs((p.Y.High - p.Y.Low) / (p.X.High - p.X.Low))
	}

	columns, rows := o.FieldSize(aspect)
	if n := columnsFor(panels); n > 1 {
		rows, columns = max(1, rows/n), max(1, columns/n)
	}

	cells, how, err := s.cells(ctx, o, rows, columns)
	if err != nil {
		return nil, nil, "", err
	}

	p.Field = &chart.Field{Rows: cells.Rows, Columns: cells.Columns, Values: how.of(cells), Shape: aspect}

	// The first row is on top, where latitudes and heights are largest but indexes smallest.
	if y.values != nil && !y.falls() {
		p.Field.Values = upsideDown(p.Field.Values, cells.Rows, cells.Columns)
	} else {
		p.Y.Low, p.Y.High = p.Y.High, p.Y.Low
	}
	return p, cells, how, nil
}

func upsideDown(values []float64, rows, columns int) []float64 {
	out := make([]float64, 0, len(values))
	for i := rows - 1; i >= 0; i-- {
		out = append(out, values[i*columns:][:columns]...)
	}
	return out
}

// of returns what stands for the items of each cell.
func (r Reduction) of(c *sampling.Cells) []float64 {
	switch r {
	case Max:
		return c.Highs
	case Min:
		return c.Lows
	}
	return c.Means
}

// note tells how many items along each dimension a place of the picture stands for.
func (r Reduction) note(along ...float64) string {
	word := string(r)
	if r == Nearest {
		word = "one"
	}

	var texts []string
	about := ""
	most := 0.0
	for _, n := range along {
		if most = max(most, n); n != math.Round(n) {
			about = "about "
		}
		texts = append(texts, fmt.Sprintf("%.0f", n))
	}

	if most < 1.5 {
		return fmt.Sprintf("; %s where several items share a place", word)
	}
	return fmt.Sprintf("; %s of %s%s items", word, about, strings.Join(texts, " × "))
}

// scaleOf chooses limits and colours for values.
func scaleOf(s *Subject, values []float64, o *Options) (*chart.Scale, error) {
	name := o.Colours
	if name == "" {
		name = chart.ColourNames()[0]
	}

	colours, ok := chart.ColoursNamed(name)
	if !ok {
		return nil, fmt.Errorf("no colour map %q: %w", name, cairn.ErrNotFound)
	}

	low, high := o.Limits.of(values, o.Log)
	if colours.Diverging() && !o.Limits.given() && !o.Log && low < 0 && high > 0 {
		high = max(-low, high)
		low = -high
	}

	scale := &chart.Scale{Axis: chart.Axis{Label: s.units(), Low: low, High: high, Log: o.Log}, Colours: colours}
	f, err := govalue.FloatsOf(s.Array.View.DType())
	scale.Whole = err == nil && f.Whole()

	if s.dates() {
		scale.Kind = chart.Times
		scale.Label = ""
	}
	return scale, nil
}
