package osfile

import (
	"math"

	"golang.org/x/sys/windows"
)

// SpaceAt returns the space of the file system of a directory, or false if it is unknown.
func SpaceAt(dir string) (Space, bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return Space{}, false
	}

	var mine uint64
	if err := windows.GetDiskFreeSpaceEx(name, &mine, nil, nil); err != nil || mine > math.MaxInt64 {
		return Space{}, false
	}
	// NTFS compresses files only in directories that are marked for it.
	return Space{Free: int64(mine)}, true
}
