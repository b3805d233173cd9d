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

// giveAttributes copies ACLs and user attributes. It returns false if an ACL that could not be set
// or removed might give access to users who should have none. Attributes that cannot be set are
// skipped, since they do not restrict access.
func giveAttributes(f *os.File, from string, sameKind bool) bool {
	names := attributeNames(from)
	for _, name := range names {
		if !strings.HasPrefix(name, "user.") && (name != defaultList || !sameKind) {
			continue
		}
		value, err := attribute(from, name)
		if err != nil {
			continue
		}
		_ = setAttribute(f, name, value)
	}

	value, err := attribute(from, accessList)
	switch {
	case err == nil && sameKind:
		return setAttribute(f, accessList, value) == nil
	case err == nil:
		// With an ACL, the group bits of the old mode are the ACL's mask.
		_ = removeAttribute(f, accessList)
		return false
	case none(err):
		err = removeAttribute(f, accessList) // the directory's default ACL may have set it
		return err == nil || none(err)
	}
	return false
}

// none reports whether an error means that the attribute does not exist or is not supported.
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
