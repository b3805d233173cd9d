//go:build unix

package osfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func create(name string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, Exclusive, perm)
}

// inherit uses the open file, since its path may refer to another file meanwhile.
func inherit(name, from string, old fs.FileInfo) error {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}

	now, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}

	// The permissions of a file or directory that replaces old.
	dir := now.IsDir()
	mode := old.Mode() & fs.ModePerm
	switch {
	case dir && old.IsDir():
		mode |= old.Mode() & (fs.ModeSetgid | fs.ModeSticky)
	case dir:
		mode |= mode & 0o444 >> 2
	case old.IsDir():
		mode &= 0o666
	}

	// In this order, since each may undo part of the other.
	owned := giveOwner(f, now, old)
	listed := giveAttributes(f, from, now.IsDir() == old.IsDir())
	if !owned || !listed {
		mode = likeOthers(mode)
	}
	err = f.Chmod(mode)
	return errors.Join(err, f.Close())
}

// giveOwner sets the owner and the group, and reports whether the file now has the group of the old
// one. Only the superuser can change the owner; other users can set only groups of their own.
func giveOwner(f *os.File, now, old fs.FileInfo) bool {
	have, ok := now.Sys().(*syscall.Stat_t)
	want, also := old.Sys().(*syscall.Stat_t)
	if !ok || !also {
		return false
	}

	if have.Uid != want.Uid && f.Chown(int(want.Uid), int(want.Gid)) == nil {
		return true
	}
	return have.Gid == want.Gid || f.Chown(-1, int(want.Gid)) == nil
}
