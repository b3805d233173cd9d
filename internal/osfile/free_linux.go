package osfile

import "golang.org/x/sys/unix"

// Numbers of file systems that may compress files.
const (
	btrfsMagic    = 0x9123683e
	zfsMagic      = 0x2fc12fc1
	bcachefsMagic = 0xca451a4e
	f2fsMagic     = 0xf2f52010
)

func compresses(s *unix.Statfs_t) bool {
	switch uint32(s.Type) {
	case btrfsMagic, zfsMagic, bcachefsMagic, f2fsMagic:
		return true
	}
	return false
}
