package osfile

import (
	"errors"
	"math"
	"os"
)

// ErrNoMap reports that files cannot be mapped here, or not this one.
var ErrNoMap = errors.New("cannot map the file into memory")

// Map returns the first size bytes of a file as memory, read-only. The memory stays valid when the
// file is closed, renamed or removed, until [Unmap]. When the file gets shorter than that, touching
// what is no longer there kills the process; nothing can be done about it afterwards. It fails with
// ErrNoMap where the operating system or the address space does not allow it.
func Map(f *os.File, size int64) ([]byte, error) {
	if size <= 0 || size > math.MaxInt {
		return nil, ErrNoMap
	}
	b, err := mapFile(f, int(size))
	if err != nil {
		return nil, errors.Join(ErrNoMap, err)
	}
	return b, nil
}

// Unmap gives back memory from [Map]. Nobody may touch it any more.
func Unmap(b []byte) error { return unmapFile(b) }
