package compute_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// pairs is an array of six items along "t" by two along "x", and options in which "pair" divides t
// into two groups of which each has every second item.
func pairs(t *testing.T) (map[string]ndarray.Source, *compute.CalcOptions) {
	t.Helper()
	a, err := ndarray.FromSlice([]float64{1, 10, 2, 20, 3, 30, 4, 40, 5, math.NaN(), 6, 60}, ndarray.Shape{6, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetLabels(ndarray.Labels{Dims: []string{"t", "x"}}); err != nil {
		t.Fatal(err)
	}
	by := func(_ context.Context, name string, dims []string, shape ndarray.Shape) ([]compute.Groups, error) {
		i := slices.Index(dims, "t")
		if name != "pair" || i < 0 {
			return nil, cairn.ErrNotFound
		}
		g := compute.Groups{Axis: i, Of: make([]int, shape[i]), Count: 2}
		for k := range g.Of {
			g.Of[k] = k % 2
		}
		return []compute.Groups{g}, nil
	}
	return map[string]ndarray.Source{"a": a}, &compute.CalcOptions{By: by}
}

func TestExpressionsOfGroups(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text  string
		shape ndarray.Shape
		dims  string
		want  []float64
	}{
		{"mean(a, by='pair')", ndarray.Shape{2, 2}, "t x", []float64{3, nan, 4, 40}},
		{"mean(a, 't', by='pair')", ndarray.Shape{2, 2}, "t x", []float64{3, nan, 4, 40}},
		{"nansum(a, axis=('x', 't'), by='pair')", ndarray.Shape{2}, "t", []float64{49, 132}},
		{"nanmean(a, by='pair')", ndarray.Shape{2, 2}, "t x", []float64{3, 20, 4, 40}},
		{"nansum(a, axis='x', by='pair')", ndarray.Shape{2}, "t", []float64{49, 132}},
		{"nanmax(a, axis=1, by='pair', keepdims=True)", ndarray.Shape{2, 1}, "t x", []float64{30, 60}},
		{"median(a, by='pair')", ndarray.Shape{2, 2}, "t x", []float64{3, nan, 4, 40}},
		{"quantile(a, 0.25, by='pair')", ndarray.Shape{2, 2}, "t x", []float64{2, nan, 3, 30}},
		{"first(a, by='pair')", ndarray.Shape{2, 2}, "t x", []float64{1, 10, 2, 20}},
		{"last(a, by='pair')", ndarray.Shape{2, 2}, "t x", []float64{5, nan, 6, 60}},
		{"float64(count(a, by='pair'))", ndarray.Shape{2, 2}, "t x", []float64{3, 2, 3, 3}},
		{"a - clim(a, 'pair')", ndarray.Shape{6, 2}, "t x",
			[]float64{-2, -10, -2, -20, 0, 10, 0, 0, 2, nan, 2, 20}},
		{"clim(a, 'pair', axis='x')", ndarray.Shape{6, 1}, "t x", []float64{9.8, 22, 9.8, 22, 9.8, 22}},
		{"standardize(a[:, 0], 'pair') * sqrt(8 / 3.0)", ndarray.Shape{6}, "t", []float64{-2, -2, 0, 0, 2, 2}},
		{"max(a, by='pair', each=True)[::-1, 0]", ndarray.Shape{6}, "t", []float64{6, 5, 6, 5, 6, 5}},
	} {
		sources, o := pairs(t)
		e, err := compute.Calc(t.Context(), c.text, sources, o)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		labels, err := e.Labels()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(e.Shape(), c.shape) || strings.Join(labels.Dims, " ") != c.dims {
			t.Errorf("%s has shape %v and dimensions %q, want %v and %s", c.text, e.Shape(), labels.Dims, c.shape, c.dims)
			continue
		}
		view, err := ndarray.ViewAs[float64](e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := view.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if w := c.want[i]; math.Abs(v-w) > 1e-12 || (v != v) != (w != w) {
				t.Errorf("%s is %v, want %v", c.text, got, c.want)
				break
			}
		}
	}
}

func TestMistakesInGroups(t *testing.T) {
	for _, c := range []struct {
		text string
		kind error
	}{
		{"mean(a, by='month')", cairn.ErrNotFound},
		{"mean(a, by=1)", cairn.ErrType},
		{"mean(a, each=True)", cairn.ErrBounds},
		{"cumsum(a, axis=0, by='pair')", cairn.ErrBounds},
		{"clim(a)", cairn.ErrBounds},
		{"clim(a, 1)", cairn.ErrBounds},
		{"mean(a[:, 0][0], by='pair')", cairn.ErrNotFound},
		{"mean(a[::-1, :], by='pair')", cairn.ErrUnsupported}, // groups are of a as it lies
	} {
		sources, o := pairs(t)
		if _, err := compute.Calc(t.Context(), c.text, sources, o); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", c.text, err, c.kind)
		}
	}

	sources, _ := pairs(t)
	if _, err := compute.Calc(t.Context(), "mean(a, by='pair')", sources, nil); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("without any groups: %v", err)
	}
}

// A result that has no room in memory is in a file of the caller.
func TestLargeResultsTakeScratch(t *testing.T) {
	const n = 3 << 20
	a, err := ndarray.FromFunc(t.Context(), "", ndarray.Shape{2, n}, func(at []int64) float64 { return float64(at[0] + at[1]) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]ndarray.Source{"a": a}
	if _, err := compute.Calc(t.Context(), "max(a, axis=0)", sources, &compute.CalcOptions{Memory: 1 << 20}); !errors.Is(err, cairn.ErrLimit) {
		t.Fatalf("without scratch: %v", err)
	}

	var scratch *ndarray.Untyped
	o := &compute.CalcOptions{Memory: 1 << 20}
	o.Scratch = func(dtype string, shape ndarray.Shape, o *ndarray.Options) (u *ndarray.Untyped, err error) {
		scratch, err = ndarray.CreateUntyped(filepath.Join(t.TempDir(), "scratch.b2nd"), dtype, shape, o)
		return scratch, err
	}
	e, err := compute.Calc(t.Context(), "max(a, axis=0) + 1", sources, o)
	if err != nil {
		t.Fatal(err)
	}
	if scratch == nil {
		t.Fatal("the result is not in the scratch array")
	}
	defer scratch.Abort()
	view, err := ndarray.ViewAs[float64](e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := view.Read(t.Context(), ndarray.Range(n-2, n))
	if err != nil || !slices.Equal(got, []float64{n, n + 1}) {
		t.Errorf("the last items are %v, %v", got, err)
	}
}

// TestGroupsInPieces merges what pieces make of groups, to the bits of all at once. Groups that
// have changed in between are an error.
func TestGroupsInPieces(t *testing.T) {
	sources, o := pairs(t)
	texts := []string{"mean(a, by='pair')", "nanstd(a, by='pair')", "nanmax(a, axis='x', by='pair')"}
	want, err := compute.CalcAll(t.Context(), texts, sources, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := compute.Divide(t.Context(), texts, sources, o)
	if err != nil {
		t.Fatal(err)
	}

	parts := func(yield func([]byte, error) bool) {
		for i := range d.Pieces() {
			if !yield(d.Reduce(t.Context(), i, i+1)) {
				return
			}
		}
	}
	got, err := d.Merge(t.Context(), parts)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range got {
		a, err := ndarray.ViewOf(e).Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := ndarray.ViewOf(want[i]).Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a, b) {
			t.Errorf("%s has other bits when it is merged from pieces", texts[i])
		}
	}

	by := o.By
	o.By = func(ctx context.Context, name string, dims []string, shape ndarray.Shape) ([]compute.Groups, error) {
		all, err := by(ctx, name, dims, shape)
		if err == nil {
			slices.Reverse(all[0].Of)
		}
		return all, err
	}
	if _, err := d.Merge(t.Context(), parts); err == nil {
		t.Error("pieces of other groups were merged")
	}
}
