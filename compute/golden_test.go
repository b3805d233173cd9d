package compute_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
)

// TestGoldenArraysAreReduced applies all reductions to the arrays written by C-Blosc2. The chunk
// shapes of arrays without items may contain 0.
func TestGoldenArraysAreReduced(t *testing.T) {
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	empty := 0
	for _, c := range m.Cases {
		if c.Kind != golden.B2ND {
			continue
		}
		u, err := ndarray.Open(c.Path(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(u.Shape(), 0) {
			empty++
		}
		s, err := compute.Summarize(t.Context(), u, nil)
		if err != nil && !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s: summary: %v", c.Name, err)
		}
		if err == nil && s.N != u.Len() {
			t.Errorf("%s: a summary of %d items, not %d", c.Name, s.N, u.Len())
		}
		for name, reduce := range reductions {
			if err := reduce(t, u); err != nil && !errors.Is(err, cairn.ErrType) && u.Len() > 0 {
				t.Errorf("%s: %s: %v", c.Name, name, err)
			}
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
	if empty < 4 {
		t.Errorf("only %d arrays without items", empty)
	}
}

// reduced unifies reductions with different result types.
func reduced[R any](of func(context.Context, ndarray.Source, *compute.Options) (ndarray.Array[R], error),
	axes ...int) func(*testing.T, *ndarray.Untyped) error {
	return func(t *testing.T, u *ndarray.Untyped) error {
		if len(u.Shape()) < len(axes) {
			return nil // there is no such axis
		}
		_, err := of(t.Context(), u, compute.Over(axes...))
		return err
	}
}

var reductions = map[string]func(*testing.T, *ndarray.Untyped) error{
	"sum":                    reduced(compute.Sum[float64]),
	"sum over the last axis": reduced(compute.Sum[float64], -1),
	"mean":                   reduced(compute.Mean),
	"deviation":              reduced(compute.Std),
	"place of the least":     reduced(compute.ArgMin),
	"count":                  reduced(compute.CountNonZero),
	"histogram": func(t *testing.T, u *ndarray.Untyped) error {
		_, err := compute.Histogram(t.Context(), u, 3, 0, 1)
		return err
	},
}
