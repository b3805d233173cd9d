package compute

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/ndarray"
)

// windowOption sets an option of a reduction about its windows. It reports false if it is none.
func windowOption(key expr.Key, w *Window) (bool, error) {
	switch key.Name {
	case "window":
		n, err := intOf(key.Value)
		if err == nil && n < 1 {
			err = fmt.Errorf("a window has one item at least: %w", cairn.ErrBounds)
		}
		w.Items = n
		return true, err

	case "center":
		w.Center = key.Value.Text == "True"
		return true, boolean(key.Value, key.Name)

	case "min_count":
		n, err := intOf(key.Value)
		if err == nil && n < 1 {
			err = fmt.Errorf("min_count is 1 at least: %w", cairn.ErrBounds)
		}
		w.Least = n
		return true, err
	}
	return false, nil
}

// rolls makes a reduction with window= one of windows, or of neighbouring groups.
func (r *bound) rolls() error {
	w := &r.window
	switch {
	case w.Items == 0 && (w.Center || w.Least != 0):
		return fmt.Errorf("%s takes center= and min_count= only with window=: %w", r.name, cairn.ErrBounds)
	case w.Items == 0:
		return nil
	case r.weights != nil || r.with != nil:
		return fmt.Errorf("%s takes no window= beside another array: %w", r.name, cairn.ErrUnsupported)
	case r.by != "" && (w.Center || w.Least != 0):
		return fmt.Errorf("%s takes by= and window=, which is around each group, but no center= and min_count=: %w", r.name,
			cairn.ErrBounds)
	case r.by != "" && r.pick == nil && !r.quantile && !strings.HasSuffix(r.name, "median") || r.by != "" && strings.Contains(r.name, "arg"):
		return fmt.Errorf("%s takes no window=: %w", r.name, cairn.ErrUnsupported)
	case r.by != "":
		for i := range r.o.Groups {
			r.o.Groups[i].Window = int(w.Items)
		}
		return nil
	}

	op := strings.TrimPrefix(strings.TrimPrefix(r.name, "nan"), "a")
	if op == "ny" || op == "ll" { // any and all
		op = "a" + op
	}
	if _, ok := windowOps[op]; !ok {
		return fmt.Errorf("%s takes no window=: %w", r.name, cairn.ErrUnsupported)
	}
	if len(r.o.Axes) == 0 && len(r.of.shape) == 1 {
		r.o.Axes = []int{0}
	}
	if len(r.o.Axes) != 1 || r.o.KeepDims {
		return fmt.Errorf("%s takes window= along one axis=, as in %s(a, axis=0, window=5): %w", r.name, r.name,
			cairn.ErrBounds)
	}

	w.Axis = r.o.Axes[0]
	w.SkipNaN = r.skip
	w.DDoF = r.o.DDoF
	w.Quantile = r.q
	r.pick = nil
	r.likeInput = op != "count"
	r.shaped = true
	r.run = func(ctx context.Context, c reduceCall) (*ndarray.Untyped, error) {
		return rolling(ctx, &c.o, c.src, op, *w, c.arrayOptions())
	}
	return nil
}

// arrayOptions returns the options of a result that has as many items as the source.
func (c *reduceCall) arrayOptions() *ndarray.Options {
	o := &ndarray.Options{Memory: c.o.Memory, Level: levelStored}
	if c.o.Array != nil {
		o.Level = c.o.Array.Level
	}
	return o
}

// withNaN returns the attributes of a result in which NaN is missing.
func withNaN(t *term) *term {
	left, marked := cf.WithoutMissing(t.attributes)
	if !marked {
		t.attributes = append(slices.Clone(left), cf.NaNFill(float64Type)...)
	}
	return t
}

// groupedAxes takes the axes that groups divide out of those that are reduced: mean(x, 'time',
// by='month') is mean(x, by='month').
func (r *bound) groupedAxes() error {
	for _, g := range r.o.Groups {
		for _, axis := range g.axes() {
			i, err := axisNumber(axis, len(r.of.shape))
			if err != nil {
				return err
			}
			r.o.Axes = slices.DeleteFunc(r.o.Axes, func(axis int) bool { return axis == i })
		}
	}
	return nil
}
