//go:build linux || darwin || freebsd

package osfile

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// SpaceAt returns the space of the file system of a directory, or false if it is unknown.
func SpaceAt(dir string) (Space, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Space{}, false
	}

	blocks := uint64(max(0, int64(s.Bavail)))
	if os.Geteuid() == 0 {
		blocks = s.Bfree // the reserve is for it
	}

	size := uint64(s.Bsize)
	if size == 0 || blocks > math.MaxInt64/size {
		return Space{}, false
	}
	return Space{Free: int64(blocks * size), Compresses: compresses(&s)}, true
}
