//go:build unix

package osfile

import (
	"io/fs"
	"syscall"
)

// Inode returns a number that tells files of a file system apart.
func Inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
