//go:build !windows

package osfile

import (
	"errors"
	"os"
)

// open does not block even if the path has become a named pipe.
func open(name string, flag int) (*os.File, error) {
	return os.OpenFile(name, flag|nonBlocking, 0o666)
}

func syncDir(name string) error {
	dir, err := os.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
