//go:build unix

package osfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, size int) ([]byte, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var b []byte
	var mapErr error
	err = conn.Control(func(fd uintptr) { b, mapErr = unix.Mmap(int(fd), 0, size, unix.PROT_READ, unix.MAP_SHARED) })
	if err == nil {
		err = mapErr
	}
	return b, err
}

func unmapFile(b []byte) error { return unix.Munmap(b) }
