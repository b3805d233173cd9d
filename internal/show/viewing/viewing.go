// Package viewing describes charts of arrays: what of them to read, which axes and colours to give
// them, and what to write beside.
package viewing

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/internal/show/sampling"
	"github.com/cairn-go/cairn/ndarray"
)

// A Subject is a part of an array that is shown.
type Subject struct {
	Name      string // of the array, for titles
	Place     string // where it is from, such as "t2m.b2nd"
	Selection string // what of it is shown, or ""
	Array     *coords.Array
	First     int64 // number of the first item along the first dimension, if others come before

	times bool // the view has seconds since 1970
}

// A Reduction says what stands for several items.
type Reduction string

// The reductions. The zero value chooses Nearest where Single says so, and else Mean.
const (
	Mean    Reduction = "mean"
	Max     Reduction = "max"
	Min     Reduction = "min"
	Nearest Reduction = "nearest" // the item in the middle
)

// Options say how subjects are shown.
type Options struct {
	// FieldSize returns how many cells across and down there are for a field of a shape, height
	// over width.
	FieldSize func(shape float64) (width, height int)
	Points    int    // of a line
	Colours   string // name of the colour map, or "" for a suitable one
	Limits    Limits
	Log       bool
	Reduce    Reduction
	Histogram bool
	Bars      int // of the histogram
	Grid      int // how many slices to show beside each other; 0 is one
	Workers   int
}

// Chart reads the subjects and returns their chart: lines for one dimension, fields for two, and
// the first slices of more.
func Chart(ctx context.Context, subjects []Subject, o *Options) (*chart.Chart, error) {
	dims := len(subjects[0].Array.View.Shape())
	subjects = slices.Clone(subjects)
	for i := range subjects {
		s := &subjects[i]
		if err := s.Array.View.Err(); err != nil {
			return nil, err
		}

		shape := s.Array.View.Shape()
		for _, n := range shape {
			if n == 0 {
				return nil, fmt.Errorf("%s has no items to draw, but the shape %v: %w", s.from(), shape, cairn.ErrBounds)
			}
		}

		if !o.Histogram && min(len(shape), 2) != min(dims, 2) {
			return nil, fmt.Errorf("%s has %d dimensions and %s %d: lines and fields do not share a picture: %w",
				subjects[0].from(), dims, s.from(), len(shape), cairn.ErrBounds)
		}

		if _, err := govalue.FloatsOf(s.Array.View.DType()); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Place, err)
		}
		if err := s.takeTimes(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Place, err)
		}
	}

	switch {
	case o.Histogram:
		return histogram(ctx, subjects, o)
	case dims == 0:
		return nil, fmt.Errorf("%s is a single item; head prints it: %w", subjects[0].from(), cairn.ErrBounds)
	case dims == 1:
		return lines(ctx, subjects, o)
	}
	return fields(ctx, subjects, o)
}

// takeTimes takes the seconds of numbers that are times.
func (s *Subject) takeTimes() error {
	if s.Array.Meaning.Time == nil {
		return nil
	}

	src, err := As(s.Array.View, s.Array.Meaning, "seconds")
	if err != nil {
		return err
	}

	a := *s.Array
	a.View = ndarray.ViewOf(src)
	s.Array = &a
	s.times = true
	return a.View.Err()
}

// reduction returns what stands for several items of a subject.
func (s *Subject) reduction(ctx context.Context, o *Options) (Reduction, error) {
	if o.Reduce != "" {
		return o.Reduce, nil
	}

	single, err := Single(ctx, s.Array.View, s.Array.Items)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Place, err)
	}
	if single {
		return Nearest, nil
	}
	return Mean, nil
}

// cells reads a subject into at most so many cells.
func (s *Subject) cells(ctx context.Context, o *Options, rows, columns int) (*sampling.Cells, Reduction, error) {
	how, err := s.reduction(ctx, o)
	if err != nil {
		return nil, "", err
	}

	in := s.sample(o)
	in.Middle = how == Nearest
	c, err := sampling.Reduce(ctx, in, rows, columns)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", s.Place, err)
	}
	return c, how, nil
}

// sample returns what is read of a subject.
func (s *Subject) sample(o *Options) sampling.Input {
	return sampling.Input{Source: s.Array.View, Workers: o.Workers}
}

// title returns the title of a chart of one subject or several.
func title(subjects []Subject) string {
	first := subjects[0].label()
	for _, s := range subjects {
		if s.label() != first {
			return ""
		}
	}
	return first
}

// label returns what the array is called.
func (s *Subject) label() string {
	if s.Array.Title != "" {
		return s.Array.Title
	}
	return s.Name
}

// units returns the units of the values, as they are usually printed.
func (s *Subject) units() string {
	switch u := s.Array.Units; u {
	case "degC", "deg_C", "degree_C", "degrees_C", "celsius", "Celsius", "degree_Celsius", "degrees_Celsius":
		return "°C"
	case "degrees", "degree":
		return "°"
	case "1":
		return ""
	default:
		return u
	}
}

// valueLabel returns the label of an axis of values.
func (s *Subject) valueLabel(withName bool) string {
	name := s.label()
	units := s.units()
	switch {
	case !withName:
		return units
	case units == "":
		return name
	}
	return name + " (" + units + ")"
}

// where tells the fixed coordinates of a subject, and what it is from.
func (s *Subject) where(ctx context.Context) string {
	text := s.from()

	if all, err := s.Array.Fixed(ctx); err == nil && len(all) > 0 {
		fixed := s.fixed(ctx)
		if strings.ContainsAny(s.Selection, "=~") && fixed != "" && strings.Count(fixed, ", ") == len(all)-1 {
			text = s.Place // the coordinates tell what the selection does, and the axes the rest
		}
		text = strings.TrimPrefix(fixed+"; "+text, "; ")
	}

	if f, err := govalue.FloatsOf(s.Array.View.DType()); err == nil && f.Absolute() {
		text += "; absolute values"
	}
	return text
}

// fixed tells the coordinates of dimensions that the selection has removed, or "".
func (s *Subject) fixed(ctx context.Context) string {
	fixed, err := s.Array.Fixed(ctx)
	if err != nil {
		return ""
	}

	var parts []string
	for _, f := range fixed {
		if f.Name != "" && !strings.HasPrefix(f.Text, "[") { // otherwise the selection says it
			parts = append(parts, strings.TrimSpace(f.Name+" "+f.Text+" "+f.Units))
		}
	}
	return strings.Join(parts, ", ")
}

// pick returns the subject with index i of its first dimension.
func (s Subject) pick(ctx context.Context, i int64) (Subject, error) {
	selection, err := coords.Parse(fmt.Sprint(i))
	if err != nil {
		return s, err
	}

	s.Array, err = s.Array.Select(ctx, selection)
	s.Selection = strings.TrimPrefix(s.Selection+fmt.Sprintf(", %d", i), ", ")
	return s, err
}

// from returns where a subject is from, with its selection.
func (s *Subject) from() string {
	if s.Selection == "" {
		return s.Place
	}
	return s.Place + "[" + s.Selection + "]"
}

// names returns what tells subjects apart, as briefly as possible.
func names(subjects []Subject) []string {
	onePlace := true
	oneSelection := true
	for _, s := range subjects {
		onePlace = onePlace && s.Place == subjects[0].Place
		oneSelection = oneSelection && s.Selection == subjects[0].Selection
	}

	var all []string
	for _, s := range subjects {
		switch {
		case onePlace && s.Selection != "":
			all = append(all, s.Selection)
		case oneSelection && !onePlace:
			all = append(all, s.Place)
		default:
			all = append(all, s.from())
		}
	}
	return all
}

// dates reports whether the values are dates.
func (s *Subject) dates() bool {
	f, err := govalue.FloatsOf(s.Array.View.DType())
	return s.times || err == nil && f.Dates()
}

// finite returns the smallest and the largest finite value, NaN if there is none. Those that are
// not positive are left out for logarithms.
func finite(values []float64, positive bool) (low, high float64) {
	low = math.Inf(1)
	high = math.Inf(-1)

	for _, v := range values {
		if !math.IsInf(v, 0) && v == v && (!positive || v > 0) {
			low, high = min(low, v), max(high, v)
		}
	}

	if low > high {
		return math.NaN(), math.NaN()
	}
	return low, high
}
