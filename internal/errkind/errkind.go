// Package errkind marks errors with what they are about, for those who act on it: their texts are
// for people.
package errkind

import (
	"errors"

	"github.com/cairn-go/cairn"
)

// Kinds of errors that programs of this module tell apart, beside those of package cairn.
var (
	// ErrNoFrame reports bytes that are no Blosc2 frame, and not a damaged one.
	ErrNoFrame = errors.New("no frame")
	// ErrEmpty reports a file of no bytes where a frame is wanted.
	ErrEmpty = errors.New("empty")
	// ErrRank reports an argument with another number of dimensions than an array has.
	ErrRank = errors.New("other number of dimensions")
	// ErrKept reports that something is in the way which is never replaced.
	ErrKept = errors.New("not replaced")
	// ErrStruct reports that items are structures where one of their fields would do.
	ErrStruct = errors.New("structures")
)

// Mark returns err as an error with the same text that also matches a kind. It returns nil for nil.
func Mark(err, kind error) error {
	if err == nil || errors.Is(err, kind) {
		return err
	}
	return &marked{err, kind}
}

// Invalid marks an error about an argument that can never be right, whatever is stored.
func Invalid(err error) error { return Mark(err, cairn.ErrInvalid) }

type marked struct {
	error
	kind error
}

// Unwrap returns the error, and the kind that it is of.
func (m *marked) Unwrap() []error { return []error{m.error, m.kind} }
