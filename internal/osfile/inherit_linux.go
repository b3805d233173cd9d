package osfile

import (
	"bytes"
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	accessList  = "system.posix_acl_access"
	defaultList = "system.posix_acl_default"
)

// giveAttributes reports whether nobody is let in by an access list that the file could not get, or
// has and should not. Attributes that do not fit here are left out: they keep nobody from anything.
func giveAttributes(f *os.File, from string, sameKind bool) bool {
	names := attributeNames(from)
	for _, name := range names {
		if !strings.HasPrefix(name, "user.") && (name != defaultList || !sameKind) {
			continue
		}
		if value, err := attribute(from, name); err == nil {
			_ = setAttribute(f, name, value)
		}
	}
	value, err := attribute(from, accessList)
	switch {
	case err == nil && sameKind:
		return setAttribute(f, accessList, value) == nil
	case err == nil:
		// Of the old one, the bits of the group are those of the list's mask.
		_ = removeAttribute(f, accessList)
		return false
	case none(err):
		err = removeAttribute(f, accessList) // which a directory may have given it
		return err == nil || none(err)
	}
	return false
}

// none reports that a file has no such attribute, or none at all.
func none(err error) bool {
	return errors.Is(err, unix.ENODATA) || errors.Is(err, errors.ErrUnsupported)
}

func attributeNames(path string) []string {
	size, err := unix.Listxattr(path, nil)
	if err != nil || size == 0 {
		return nil
	}
	list := make([]byte, size)
	if size, err = unix.Listxattr(path, list); err != nil {
		return nil
	}
	return strings.Split(string(bytes.TrimRight(list[:size], "\x00")), "\x00")
}

func attribute(path, name string) ([]byte, error) {
	size, err := unix.Getxattr(path, name, nil)
	if err != nil || size == 0 {
		return nil, err
	}
	value := make([]byte, size)
	size, err = unix.Getxattr(path, name, value)
	return value[:max(size, 0)], err
}

func setAttribute(f *os.File, name string, value []byte) error {
	return control(f, func(fd int) error { return unix.Fsetxattr(fd, name, value, 0) })
}

func removeAttribute(f *os.File, name string) error {
	return control(f, func(fd int) error { return unix.Fremovexattr(fd, name) })
}
