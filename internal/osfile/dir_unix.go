//go:build unix

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func syncRoot(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func renameAt(from *os.Root, elem string, to *os.Root, name string) error {
	if from == to {
		return from.Rename(elem, name)
	}

	source, err := from.Open(".")
	if err != nil {
		return err
	}
	defer source.Close()

	target, err := to.Open(".")
	if err != nil {
		return err
	}
	defer target.Close()

	err = control(source, func(fd int) error { return unix.Renameat(fd, elem, int(target.Fd()), name) })
	if err != nil {
		return &os.LinkError{Op: "rename", Old: source.Name() + "/" + elem, New: target.Name() + "/" + name, Err: err}
	}
	return nil
}
