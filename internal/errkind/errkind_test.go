package errkind

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestMarksKeepTheText(t *testing.T) {
	cause := fmt.Errorf("leaf %q: %w", "/a", cairn.ErrBounds)
	err := Mark(Invalid(cause), Kept)
	if err.Error() != cause.Error() {
		t.Errorf("%q instead of %q", err, cause)
	}
	for _, kind := range []error{cairn.ErrBounds, cairn.ErrInvalid, Kept} {
		if !errors.Is(err, kind) {
			t.Errorf("%v is not %v", err, kind)
		}
	}
	if errors.Is(err, NoFrame) || errors.Is(cause, Kept) || Mark(nil, Kept) != nil {
		t.Error("kinds that nobody gave")
	}
}
