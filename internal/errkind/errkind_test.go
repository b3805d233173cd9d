package errkind

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestMarksKeepTheText(t *testing.T) {
	cause := fmt.Errorf("leaf %q: %w", "/a", cairn.ErrBounds)
	err := Mark(Invalid(cause), ErrKept)
	if err.Error() != cause.Error() {
		t.Errorf("%q instead of %q", err, cause)
	}
	for _, kind := range []error{cairn.ErrBounds, cairn.ErrInvalid, ErrKept} {
		if !errors.Is(err, kind) {
			t.Errorf("%v is not %v", err, kind)
		}
	}
	if errors.Is(err, ErrNoFrame) || errors.Is(cause, ErrKept) || Mark(nil, ErrKept) != nil {
		t.Error("kinds that nobody gave")
	}
}
