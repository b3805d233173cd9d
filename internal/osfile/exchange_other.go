//go:build !linux && !darwin

package osfile

import (
	"errors"
	"os"
)

// Exchange is like that on Linux.
func Exchange(a, b string) error {
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: errors.ErrUnsupported}
}
