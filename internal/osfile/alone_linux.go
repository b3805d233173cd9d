package osfile

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// localFiles are the file systems whose files only processes of this machine open, so that its
// kernel knows all of them.
var localFiles = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC,
	unix.OVERLAYFS_SUPER_MAGIC, f2fsMagic, zfsMagic, bcachefsMagic,
}

// Alone reports whether this is the only open handle of a file, in any process. It returns false if
// it cannot tell. The kernel grants a write lease only to the sole opener, and whoever opens the
// file while it is held waits for its end, a moment later.
func Alone(f *os.File) bool {
	alone := false
	err := control(f, func(fd int) error {
		var s unix.Statfs_t
		if err := unix.Fstatfs(fd, &s); err != nil || !slices.Contains(localFiles, int64(uint32(s.Type))) {
			return err
		}

		// The signal that tells of someone who waits would be SIGIO, which ends a program that is
		// not of Go. SIGURG is ignored.
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETSIG, int(unix.SIGURG)); err != nil {
			return err
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
			return err
		}
		_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK)
		alone = err == nil
		return err
	})
	return alone && err == nil
}
