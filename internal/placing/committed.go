package placing

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
)

// Committed marks the error of what follows a commit, so that it matches [cairn.ErrCommitted].
func Committed(err error) error {
	if err == nil || errors.Is(err, cairn.ErrCommitted) {
		return err
	}
	return fmt.Errorf("%w: %w", cairn.ErrCommitted, err)
}

// Uncommitted removes that mark, for a commit that is only a step of a larger one which has failed.
func Uncommitted(err error) error {
	if !errors.Is(err, cairn.ErrCommitted) {
		return err
	}
	return uncommitted{err}
}

// uncommitted matches whatever its error does, but not ErrCommitted.
type uncommitted struct{ err error }

func (u uncommitted) Error() string { return u.err.Error() }

func (u uncommitted) Is(target error) bool {
	return target != cairn.ErrCommitted && errors.Is(u.err, target)
}

func (u uncommitted) As(target any) bool { return errors.As(u.err, target) }
