package golden_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
)

// TestGoldenVerify runs both Verify functions over the goldens. None is damaged, and files that
// need a missing feature must fail as unsupported.
func TestGoldenVerify(t *testing.T) {
	ctx := context.Background()
	for _, c := range cases(t, golden.Frame, golden.B2ND) {
		_, err := frame.Verify(ctx, c.Path(), &frame.OpenOptions{Offset: c.Offset})
		if c.Kind == golden.B2ND {
			_, err = ndarray.Verify(ctx, c.Path(), nil)
		}
		if missing(c) {
			if !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s: %v, want an error that it is not supported", c.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// TestGoldenBroken verifies files that the library has damaged. Verify must report the damage even
// if cairn reads the same contents as the library.
func TestGoldenBroken(t *testing.T) {
	for _, c := range cases(t, golden.Broken) {
		if _, err := frame.Verify(t.Context(), c.Path(), &frame.OpenOptions{Offset: c.Offset}); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v, want an error that it is corrupt", c.Name, err)
		}
	}
}
