// Package invalid marks errors about arguments that can never be right, whatever is stored, so that
// they match cairn.ErrInvalid.
package invalid

import (
	"errors"

	"github.com/cairn-go/cairn"
)

// Mark returns err as an error with the same text that also matches cairn.ErrInvalid. It returns
// nil for nil.
func Mark(err error) error {
	if err == nil || errors.Is(err, cairn.ErrInvalid) {
		return err
	}
	return &marked{err}
}

type marked struct{ error }

// Unwrap returns the error, and the kind that it is of.
func (m *marked) Unwrap() []error { return []error{m.error, cairn.ErrInvalid} }
