//go:build !unix

package osfile

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }

// Opening waits for nobody here, as far as is known, and has no flag for links.
const (
	nonBlocking = 0
	noFollow    = 0
)
