//go:build darwin || freebsd

package osfile

import "golang.org/x/sys/unix"

func compresses(s *unix.Statfs_t) bool { return unix.ByteSliceToString(fsType(s)) == "zfs" }

// fsType returns the name of the type of a file system, as bytes.
func fsType(s *unix.Statfs_t) []byte {
	name := make([]byte, 0, len(s.Fstypename))
	for _, c := range s.Fstypename {
		name = append(name, byte(c))
	}
	return name
}
