package osfile

import (
	"reflect"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page on most processors.
const hugePage = 2 << 20

func hugePages(b []byte) {
	skip := int(-reflect.ValueOf(b).Pointer() & (hugePage - 1))
	if n := (len(b) - skip) &^ (hugePage - 1); n > 0 {
		_ = unix.Madvise(b[skip:][:n], unix.MADV_HUGEPAGE) // without them it is only slower
	}
}
