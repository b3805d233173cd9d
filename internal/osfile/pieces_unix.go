//go:build darwin || linux || openbsd

package osfile

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// mostPieces is how many pieces these systems take at once.
const mostPieces = 1024

// WritePieces writes pieces, one after the other from an offset on, in as few calls of the system
// as possible. It returns the number of bytes written.
func WritePieces(f *os.File, pieces [][]byte, off int64) (int64, error) {
	if off < 0 {
		return 0, &fs.PathError{Op: "pwritev", Path: f.Name(), Err: unix.EINVAL}
	}

	done := int64(0)
	for len(pieces) > 0 {
		size := int64(0)
		some := pieces[:min(len(pieces), mostPieces)]
		for _, p := range some {
			size += int64(len(p))
		}

		n := 0
		err := control(f, func(fd int) (err error) {
			n, err = unix.Pwritev(fd, some, off+done)
			return err
		})
		done += int64(max(0, n))
		if err == nil && n == 0 && size > 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, &fs.PathError{Op: "pwritev", Path: f.Name(), Err: err}
		}

		pieces = pieces[len(some):]
		if int64(n) < size {
			pieces = append(behind(some, n), pieces...)
		}
	}
	return done, nil
}

// behind returns pieces without their first n bytes, as a new list.
func behind(pieces [][]byte, n int) [][]byte {
	var rest [][]byte
	for _, p := range pieces {
		skip := min(n, len(p))
		n -= skip
		if skip < len(p) {
			rest = append(rest, p[skip:])
		}
	}
	return rest
}
