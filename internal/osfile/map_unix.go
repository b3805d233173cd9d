//go:build unix

package osfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, size int) (b []byte, err error) {
	err = control(f, func(fd int) (err error) {
		b, err = unix.Mmap(fd, 0, size, unix.PROT_READ, unix.MAP_SHARED)
		return err
	})
	return b, err
}

func unmapFile(b []byte) error { return unix.Munmap(b) }
