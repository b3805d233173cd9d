//go:build !unix

package osfile

import "io/fs"

// Private is like that on Unix.
func Private(fs.FileInfo) bool { return true }
