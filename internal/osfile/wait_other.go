//go:build !unix

package osfile

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }

// Opening does not block here, as far as is known, and there is no flag for links.
const (
	nonBlocking = 0
	noFollow    = 0
)
