//go:build unix

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func mkfifo(name string) error { return unix.Mkfifo(name, 0o666) }

const (
	nonBlocking = unix.O_NONBLOCK // do not block on named pipes
	noFollow    = unix.O_NOFOLLOW // do not follow symbolic links
)

// control calls do with the descriptor of a file, and repeats it if a signal interrupts it.
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
