package osfile

import (
	"errors"
	"io/fs"
	"os"
)

// CreateFor makes a file that is to take the place of another, or a new place. If something has
// that place, nobody but the owner may open the file until [Inherit]; else it is made as by [Open].
func CreateFor(name, place string) (*os.File, error) {
	if private(place) {
		return create(name, 0o600)
	}
	return create(name, 0o666)
}

// MkdirFor is CreateFor for a directory.
func MkdirFor(name, place string) error {
	if private(place) {
		return os.Mkdir(name, 0o700)
	}
	return os.Mkdir(name, 0o777)
}

func private(place string) bool {
	_, err := os.Stat(place)
	return !errors.Is(err, fs.ErrNotExist)
}

// Inherit gives a file or a directory what another one, whose place it is to take, has besides its
// bytes: permissions, owner and group, on Linux also POSIX ACLs and attributes in the namespace
// "user". What the system does not let this process give is left out, and where that would let in
// anybody who had no access before, the group gets no more than everybody. If from does not exist,
// nothing happens. Neither does where files have no such permissions (Windows).
//
// Between a file and a directory, permission to read stands for permission to search.
func Inherit(name, from string) error {
	old, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return inherit(name, from, old)
}

// modeFor returns the permissions that something gets which takes the place of old.
func modeFor(dir bool, old fs.FileInfo) fs.FileMode {
	mode := old.Mode() & fs.ModePerm
	switch {
	case dir && old.IsDir():
		mode |= old.Mode() & (fs.ModeSetgid | fs.ModeSticky)
	case dir:
		mode |= mode & 0o444 >> 2
	case old.IsDir():
		mode &= 0o666
	}
	return mode
}

// likeOthers returns mode with no more for the group than for everybody.
func likeOthers(mode fs.FileMode) fs.FileMode { return mode&^0o070 | mode&(mode&0o007<<3) }
