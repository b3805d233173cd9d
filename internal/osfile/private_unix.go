//go:build unix

package osfile

import (
	"io/fs"
	"os"
	"syscall"
)

// Private reports whether nobody but this user may change a file or directory. Systems without
// such permissions say yes.
func Private(info fs.FileInfo) bool {
	at, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(at.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
