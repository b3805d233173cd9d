//go:build unix

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func mkfifo(name string) error { return unix.Mkfifo(name, 0o666) }

const (
	nonBlocking = unix.O_NONBLOCK // opening a named pipe does not wait
	noFollow    = unix.O_NOFOLLOW // a name that is a symbolic link is not opened
)

// control calls do with the descriptor of a file, again as long as a signal interrupts it.
func control(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		for failed = unix.EINTR; errors.Is(failed, unix.EINTR); {
			failed = do(int(fd))
		}
	})
	return errors.Join(err, failed)
}
