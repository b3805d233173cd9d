package fresh

import "golang.org/x/sys/unix"

// hugePage is the size of a huge page on most processors.
const hugePage = 2 << 20

// askHuge asks for huge pages where they fit between two addresses.
func askHuge(start, size uintptr) {
	from := (start + hugePage - 1) &^ (hugePage - 1)
	to := (start + size) &^ (hugePage - 1)
	if from < to {
		// If it fails, filling the memory only takes longer.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_HUGEPAGE)
	}
}
