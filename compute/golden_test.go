package compute_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/golden"
	"github.com/cairn-go/cairn/ndarray"
)

// TestGoldenArraysAreReduced runs what reduces arrays over everything that C-Blosc2 wrote. Arrays
// without items have chunks without an extent there.
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

var reductions = map[string]func(*testing.T, *ndarray.Untyped) error{
	"sum": func(t *testing.T, u *ndarray.Untyped) error {
		_, err := compute.Sum[float64](t.Context(), u, nil)
		return err
	},
	"sum over the last axis": func(t *testing.T, u *ndarray.Untyped) error {
		_, err := compute.Sum[float64](t.Context(), u, compute.Over(-1))
		if len(u.Shape()) == 0 {
			return nil // which has no axis
		}
		return err
	},
	"mean": func(t *testing.T, u *ndarray.Untyped) error {
		_, err := compute.Mean(t.Context(), u, nil)
		return err
	},
	"deviation": func(t *testing.T, u *ndarray.Untyped) error {
		_, err := compute.Std(t.Context(), u, nil)
		return err
	},
	"place of the least": func(t *testing.T, u *ndarray.Untyped) error {
		_, err := compute.ArgMin(t.Context(), u, nil)
		return err
	},
	"count": func(t *testing.T, u *ndarray.Untyped) error {
		_, err := compute.CountNonZero(t.Context(), u, nil)
		return err
	},
	"histogram": func(t *testing.T, u *ndarray.Untyped) error {
		_, err := compute.Histogram(t.Context(), u, 3, 0, 1)
		return err
	},
}
