package wire

import (
	"errors"

	"github.com/cairn-go/cairn"
)

// Because sets the cause of an error.
func Because(e *cairn.CorruptError, cause error) error {
	e.Err = cause
	return e
}

// Moved adds base to the offset of a CorruptError.
func Moved(err error, base int64) error {
	var ce *cairn.CorruptError
	if !errors.As(err, &ce) || ce.Offset < 0 {
		return err
	}

	at := *ce
	at.Offset += base
	return &at
}
