//go:build unix

package osfile

import "golang.org/x/sys/unix"

func mkfifo(name string) error { return unix.Mkfifo(name, 0o666) }

const (
	nonBlocking = unix.O_NONBLOCK // opening a named pipe does not wait
	noFollow    = unix.O_NOFOLLOW // a name that is a symbolic link is not opened
)
