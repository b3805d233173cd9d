//go:build !linux

package osfile

import "os"

// Alone returns false: it cannot tell whether this is the only open handle of a file.
func Alone(*os.File) bool { return false }
