package osfile

import (
	"errors"
	"io/fs"
	"os"
)

// CreateFor creates a file that is to be renamed to place. If something exists at place, only the
// owner may open the file until [Inherit] is called; otherwise it is created as by [Open].
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

// Inherit copies the metadata of from to a file or directory that is to replace it: permissions,
// owner and group, and on Linux also POSIX ACLs and attributes in the namespace "user". It skips
// what this process is not allowed to set. If skipping the group or an ACL would give access to
// users who had none, the group's permissions are limited to those of others. If from does not
// exist, or on systems without such permissions (Windows), Inherit does nothing.
//
// If only one of the two is a directory, read permission stands for search permission.
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

// likeOthers limits the permissions of the group to those of others.
func likeOthers(mode fs.FileMode) fs.FileMode { return mode&^0o070 | mode&(mode&0o007<<3) }
