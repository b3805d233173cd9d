package viewing

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// array returns an array with names of dimensions and attributes.
func array[T ndarray.Element](t *testing.T, values []T, shape ndarray.Shape, dims []string,
	attributes meta.Map) *ndarray.Untyped {
	t.Helper()
	a, err := ndarray.FromSlice(values, shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	if err := a.SetLabels(ndarray.Labels{Dims: dims, Attributes: attributes}); err != nil {
		t.Fatal(err)
	}
	return a.Untyped
}

// subject returns a subject with coordinates by name.
func subject(t *testing.T, u *ndarray.Untyped, siblings map[string]*ndarray.Untyped) Subject {
	t.Helper()
	return Subject{Name: "a", Place: "a.b2nd", Array: coords.New(u, func(_ context.Context,
		name string) (ndarray.Source, error) {
		if s := siblings[name]; s != nil {
			return s, nil
		}
		return nil, nil
	})}
}

func usual() *Options {
	return &Options{FieldSize: chart.FieldSize, Points: chart.Points, Reduce: Mean, Bars: 4}
}

func draw(t *testing.T, o *Options, subjects ...Subject) *chart.Chart {
	t.Helper()
	c, err := Chart(t.Context(), subjects, o)
	if err != nil {
		t.Fatal(err)
	}
	c.Draw().Image()
	return c
}

func TestFieldWithCoordinates(t *testing.T) {
	values := make([]float64, 2*3*4)
	for i := range values {
		values[i] = float64(i) - 5
	}
	siblings := map[string]*ndarray.Untyped{
		"time": array(t, []int8{10, 20}, ndarray.Shape{2}, []string{"time"}, meta.Map{{Key: "units",
			Value: "days since 2020-01-01"}}),
		"lat": array(t, []float64{-10, 0, 10}, ndarray.Shape{3}, []string{"lat"}, meta.Map{{Key: "units",
			Value: "degrees_north"}}),
		"lon": array(t, []float64{0, 90, 180, 270}, ndarray.Shape{4}, []string{"lon"}, nil),
	}
	u := array(t, values, ndarray.Shape{2, 3, 4}, []string{"time", "lat", "lon"},
		meta.Map{{Key: "units", Value: "degC"}, {Key: "long_name", Value: "Temperature"}})
	o := usual()
	o.Colours = "balance"
	c := draw(t, o, subject(t, u, siblings))
	p := c.Panels[0]
	if c.Title != "Temperature" || c.Subtitle != "time 2020-01-11; a.b2nd[0]" || c.Scale.Label != "°C" || !p.Grid {
		t.Errorf("titles %q, %q and %q", c.Title, c.Subtitle, c.Scale.Label)
	}
	if !reflect.DeepEqual(p.X, chart.Axis{Kind: chart.Longitudes, Low: -45, High: 315}) ||
		!reflect.DeepEqual(p.Y, chart.Axis{Kind: chart.Latitudes, Low: -15, High: 15}) {
		t.Errorf("axes %+v and %+v", p.X, p.Y)
	}
	// latitudes rise, so that the last row is on top
	if want := []float64{3, 4, 5, 6, -1, 0, 1, 2, -5, -4, -3, -2}; !slices.Equal(p.Field.Values, want) {
		t.Errorf("values %v", p.Field.Values)
	}
	if c.Scale.Low != -6 || c.Scale.High != 6 {
		t.Errorf("a diverging scale from %v to %v", c.Scale.Low, c.Scale.High)
	}
	o.Grid = 5
	if c = draw(t, o, subject(t, u,
		siblings)); len(c.Panels) != 2 || c.Panels[1].Title != "time 2020-01-21" || c.Columns != 2 {
		t.Errorf("slices beside each other: %d panels, %q", len(c.Panels), c.Panels[1].Title)
	}
}

func TestFieldWithIndexes(t *testing.T) {
	c := draw(t, usual(), subject(t, array(t, []int8{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil, nil), nil))
	p := c.Panels[0]
	if p.X.Low != -0.5 || p.X.High != 2.5 || p.Y.Low != 1.5 || p.Y.High != -0.5 ||
		p.Field.Values[0] != 1 || c.Title != "a" {
		t.Errorf("%q: axes %+v and %+v, values %v", c.Title, p.X, p.Y, p.Field.Values)
	}
}

func TestIrregularCoordinates(t *testing.T) {
	level := array(t, []float64{1000, 850, 500, 100, 10, 1}, ndarray.Shape{6}, nil, nil)
	u := array(t, make([]int8, 6), ndarray.Shape{6}, []string{"level"}, nil)
	s := subject(t, u, map[string]*ndarray.Untyped{"level": level})
	r, err := newRuler(t.Context(), s.Array.Axes[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	a := r.edges()
	if r.regular || len(a.Ticks) < 3 || a.Low != -0.5 || a.High != 5.5 {
		t.Errorf("axis %+v", a)
	}
	for _, v := range []float64{1000, 675, 500, 55, 1} {
		if got := r.value(r.index(v)); math.Abs(got-v) > 1e-9 {
			t.Errorf("%v is at %v, where there is %v", v, r.index(v), got)
		}
	}
	// coordinates without an order are none
	disorder := array(t, []float64{1, 3, 2, 4, 5, 6}, ndarray.Shape{6}, nil, nil)
	s = subject(t, u, map[string]*ndarray.Untyped{"level": disorder})
	if r, err = newRuler(t.Context(), s.Array.Axes[0], 0); err != nil || r.values != nil {
		t.Errorf("coordinates without an order: %+v, %v", r, err)
	}
}

func TestLines(t *testing.T) {
	values := make([]float64, 5000)
	for i := range values {
		values[i] = float64(i % 7)
	}
	one := subject(t, array(t, values, ndarray.Shape{5000}, nil, nil), nil)
	c := draw(t, usual(), one)
	l := c.Panels[0].Lines[0]
	if len(l.X) != chart.Points || l.Lows == nil || l.Points || !strings.Contains(c.Subtitle, "; mean of about 5 items") {
		t.Errorf("%d points, %q", len(l.X), c.Subtitle)
	}
	two := subject(t, array(t, []int8{4, 5}, ndarray.Shape{2}, nil, nil), nil)
	two.Place = "b.b2nd"
	c = draw(t, usual(), one, two)
	p := c.Panels[0]
	if l = p.Lines[1]; p.X.High < 4990 || l.Name != "b.b2nd" || !l.Points || l.Color != 1 {
		t.Errorf("two lines: %+v", p.X)
	}
	o := usual()
	o.Histogram = true
	if c = draw(t, o, one); c.Panels[0].Bars.Counts[0] != 1430 || !strings.Contains(c.Subtitle, "5000 items") {
		t.Errorf("histogram %v, %q", c.Panels[0].Bars.Counts, c.Subtitle)
	}
	if c = draw(t, o, one, two); len(c.Panels[0].Lines) != 2 {
		t.Error("histograms of two arrays are no lines")
	}
	o.Reduce, o.Histogram = Max, false
	if c = draw(t, o, one); c.Panels[0].Lines[0].Lows != nil || c.Panels[0].Lines[0].Y[5] < 3 {
		t.Errorf("maxima: %v", c.Panels[0].Lines[0].Y[:9])
	}
}

func TestPackedNumbers(t *testing.T) {
	u := array(t, []int8{0, 10, -99}, ndarray.Shape{3}, nil, meta.Map{
		{Key: "scale_factor", Value: 0.5}, {Key: "add_offset", Value: int64(100)}, {Key: "_FillValue",
			Value: int64(-99)}})
	s := subject(t, u, nil)
	s.Array = s.Array.Values()
	if y := draw(t, usual(), s).Panels[0].Lines[0].Y; y[0] != 100 || y[1] != 105 || y[2] == y[2] {
		t.Errorf("packed numbers are %v", y)
	}
}

func TestLimits(t *testing.T) {
	values := []float64{math.NaN(), -10, 0, 10, 20, 30, math.Inf(1)}
	for text, want := range map[string][2]float64{
		"": {-10, 30}, "0,1": {0, 1}, "5,": {5, 30}, ",7": {-10, 7}, "25%,75%": {0, 20}, "0%,5": {-10, 5},
		"50,": {50, 50.5},
	} {
		l, err := ParseLimits(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		low, high := l.of(values, false)
		if text == "50," { // nothing is above: the scale is around the limit
			want = [2]float64{49.5, 50.5}
		}
		if low != want[0] || high != want[1] {
			t.Errorf("%q: %v to %v, want %v", text, low, high, want)
		}
	}
	if low, high := (Limits{}).of(values, true); low != 10 || high != 30 {
		t.Errorf("of a logarithmic scale: %v to %v", low, high)
	}
	if low, high := (Limits{}).of([]float64{math.NaN()}, true); low != 1 || high != 10 {
		t.Errorf("without values: %v to %v", low, high)
	}
	for _, text := range []string{"1", "a,b", "2,1", "101%,", "nan,1", "1,2,3", "-1%,5", "5%,5%"} {
		if _, err := ParseLimits(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestRefusals checks what cannot be drawn.
func TestRefusals(t *testing.T) {
	flat := subject(t, array(t, []int8{1, 2}, ndarray.Shape{2}, nil, nil), nil)
	square := subject(t, array(t, []int8{1, 2, 3, 4}, ndarray.Shape{2, 2}, nil, nil), nil)
	empty := subject(t, array(t, []int8{}, ndarray.Shape{0, 2}, nil, nil), nil)
	item := subject(t, array(t, []int8{1}, ndarray.Shape{}, nil, nil), nil)
	text, err := ndarray.NewUntyped("<U2", ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	for want, subjects := range map[string][]Subject{
		"do not share": {flat, square}, "no items": {empty}, "single item": {item},
		"no numbers": {subject(t, text, nil)},
	} {
		if _, err := Chart(t.Context(), subjects, usual()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// TestLabelsAreNotMixed draws a border between labels where cells have several items.
func TestLabelsAreNotMixed(t *testing.T) {
	labels := make([]int32, 1000*1000)
	for i := range labels {
		if i/1000 < 501 {
			labels[i] = 60
		}
	}
	a, err := ndarray.FromSlice(labels, ndarray.Shape{1000, 1000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := usual()
	o.FieldSize, o.Reduce = func(float64) (int, int) { return 100, 100 }, ""
	c, err := Chart(t.Context(), []Subject{subject(t, a.Untyped, nil)}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range c.Panels[0].Field.Values {
		if v != 0 && v != 60 {
			t.Fatalf("there is a label %v", v)
		}
	}
	if !strings.Contains(c.Subtitle, "one of 10 × 10 items") {
		t.Error(c.Subtitle)
	}
}

// TestTimesOfCFAreDates draws numbers that attributes say to be times.
func TestTimesOfCFAreDates(t *testing.T) {
	a, err := ndarray.FromSlice([]int32{0, 24, 48, 72}, ndarray.Shape{2, 2}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "units", Value: "hours since 1970-01-02"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := Chart(t.Context(), []Subject{subject(t, a.Untyped, nil)}, usual())
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Scale; s.Kind != chart.Times || s.Low != 86400 || s.High != 4*86400 {
		t.Errorf("%+v", s)
	}
}

func TestReducedNote(t *testing.T) {
	for want, along := range map[string][]float64{
		"; max of 4 × 2 items":                    {4, 2},
		"; max of about 5 items":                  {4.63},
		"; max of about 2 × 1 items":              {2.2, 1},
		"; max where several items share a place": {1.03, 1},
	} {
		if got := Max.note(along...); got != want {
			t.Errorf("%v: %q, want %q", along, got, want)
		}
	}
}
