package job

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// Groups are in the plan, and workers and the seal find them there.
func TestGroupsInPlan(t *testing.T) {
	s := newSite(t)
	calls := 0
	o := &Options{Kind: Calc, Inputs: []Input{{Name: "x", Path: "a.b2nd"}}, Expression: "max(x, by='halves')",
		Output: "out.b2nd", TaskBytes: 8000}
	o.by = func(_ context.Context, _ string, _ []string, shape ndarray.Shape) ([]compute.Groups, error) {
		calls++
		g := compute.Every(shape[0]/2+1, shape[0], 0)
		g.Of[3] = -7 // in no group
		return []compute.Groups{g}, nil
	}
	p, err := New(t.Context(), Arrays(s.fs), o)
	if err != nil {
		t.Fatal(err)
	}
	if p.Kind != Reduce || calls != 1 || len(p.Groups) != 1 || p.Groups[0].Along[0].Count != 2 {
		t.Fatalf("a %s with groups %v after %d calls", p.Kind, p.Groups, calls)
	}

	n := p.Groups[0].Shape[0]
	if got, want := p.Groups[0].Along[0].Runs, []int64{0, 3, -1, 1, 0, n/2 - 3, 1, n - n/2 - 1}; !slices.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
	if of := p.Groups[0].groups()[0].Of; len(of) != int(n) || of[3] != -1 || of[2] != 0 || of[n-1] != 1 {
		t.Errorf("groups of indexes are %v", of)
	}
}

// What cannot be divided, and groups of nobody, are refused by name.
func TestGroupsRefused(t *testing.T) {
	s := newSite(t)
	_, err := New(t.Context(), Arrays(s.fs), &Options{Kind: Reduce, Inputs: []Input{{Name: "x", Path: "a.b2nd"}},
		Expression: "median(x, by='sevenths')", by: sevenths, Output: "o.b2nd"})
	if !errors.Is(err, compute.ErrIndivisible) || !strings.Contains(err.Error(), "median") {
		t.Errorf("median of groups: %v", err)
	}
	_, err = New(t.Context(), Arrays(s.fs), &Options{Kind: Calc, Inputs: []Input{{Name: "x", Path: "a.b2nd"}},
		Expression: "mean(x, by='month')", Output: "o.b2nd"})
	if !errors.Is(err, cairn.ErrNotFound) || !strings.Contains(err.Error(), "month") {
		t.Errorf("groups of nobody: %v", err)
	}
}

func TestGroupsChecked(t *testing.T) {
	fine := Named{Dims: []string{"t", "x"}, Shape: ndarray.Shape{5, 2}}
	for name, along := range map[string]Grouping{
		"":              {Axis: 0, Count: 2, Runs: []int64{0, 2, -1, 1, 1, 2}},
		"from the end":  {Axis: -2, Count: 1, Runs: []int64{0, 5}},
		"axis":          {Axis: 2, Count: 1, Runs: []int64{0, 5}},
		"odd":           {Count: 1, Runs: []int64{0, 5, 0}},
		"few":           {Count: 1, Runs: []int64{0, 4}},
		"many":          {Count: 1, Runs: []int64{0, 4, 0, 2}},
		"number":        {Count: 1, Runs: []int64{1, 5}},
		"negative":      {Count: 1, Runs: []int64{-2, 5}},
		"no length":     {Count: 1, Runs: []int64{0, 5, 0, 0}},
		"count":         {Count: mostGrouped + 1, Runs: []int64{0, 5}},
		"minus a count": {Count: -1},
	} {
		n := fine
		n.Along = []Grouping{along}
		p := &Plan{Kind: Reduce, Groups: []Named{n}}
		if good := name == "" || name == "from the end"; (p.checkGroups() == nil) != good {
			t.Errorf("%s: %v", name, p.checkGroups())
		}
		p.Kind = Copy
		if p.checkGroups() == nil {
			t.Errorf("%s: groups of a copy", name)
		}
	}

	long := Named{Dims: []string{"t"}, Shape: ndarray.Shape{mostGrouped + 1},
		Along: []Grouping{{Count: 1, Runs: []int64{0, mostGrouped + 1}}}}
	if err := long.check(); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("too many indexes: %v", err)
	}
}

// A job has no coordinates: what needs them is refused, and told apart from what nobody knows.
func TestCoordinatesRefused(t *testing.T) {
	s := newSite(t)
	named, err := ndarray.Create[float32]("named.b2nd", ndarray.Shape{40, 3}, &ndarray.Options{FS: s.fs})
	if err != nil {
		t.Fatal(err)
	}
	if err := named.SetLabels(ndarray.Labels{Dims: []string{"time", "x"}}); err != nil {
		t.Fatal(err)
	}
	if err := named.Close(); err != nil {
		t.Fatal(err)
	}

	for expression, want := range map[string]error{
		"slope(t, 'time')":      cairn.ErrUnsupported,
		"t * cos(radians(lat))": cairn.ErrNotFound,
	} {
		_, err := New(t.Context(), Arrays(s.fs), &Options{Kind: Calc, Inputs: []Input{{Name: "t", Path: "named.b2nd"}},
			Expression: expression, Output: "o.b2nd"})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "coordinates") {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// The dimension of groups has their name in the result of a job, as in that of an expression.
func TestNamesOfGroupsInPlan(t *testing.T) {
	s := newSite(t)
	o := &Options{Kind: Calc, Inputs: []Input{{Name: "x", Path: "a.b2nd"}}, Expression: "max(x, by='halves')", Output: "out.b2nd"}
	o.FindGroups(func(_ context.Context, _ string, _ []string, shape ndarray.Shape) ([]compute.Groups, error) {
		g := compute.Every(shape[0]/2+1, shape[0], 0)
		g.Name = "half"
		return []compute.Groups{g}, nil
	})
	p, err := New(t.Context(), Arrays(s.fs), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Groups[0].groups()[0].Name; got != "half" {
		t.Errorf("the groups are named %q", got)
	}
}

// TestWeightsOfOtherFormats plans a job over weights whose items a plan does not have.
func TestWeightsOfOtherFormats(t *testing.T) {
	f := &Form{Shape: ndarray.Shape{2}, DType: "<f8", Foreign: true}
	src, err := f.source()
	if err != nil {
		t.Fatal(err)
	}
	x, err := ndarray.FromSlice([]float64{1, 2}, ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = compute.Calc(t.Context(), "mean(x, weights=w)", map[string]ndarray.Source{"x": x, "w": src}, nil)
	if !errors.Is(err, cairn.ErrUnsupported) {
		t.Error(err)
	}
}
