package osfile

import (
	"errors"
	"math"
	"os"
)

// ErrNoMap means that this file, or any file on this system, cannot be mapped.
var ErrNoMap = errors.New("cannot map the file into memory")

// Map maps the first size bytes of a file, read-only. The memory stays valid until [Unmap], even if
// the file is closed, renamed or removed. If the file is truncated, accessing the memory beyond its
// end kills the process. Map fails with ErrNoMap if the operating system or the address space does
// not allow it.
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

// Unmap releases memory from [Map], which must not be accessed afterwards.
func Unmap(b []byte) error { return unmapFile(b) }
