//go:build !linux && !darwin

package osfile

import (
	"errors"
	"os"
)

func exchange(a, b string) error {
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: errors.ErrUnsupported}
}
