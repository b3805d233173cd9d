//go:build unix

package asmtest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// guarded maps whole pages and makes the first and the last inaccessible.
func guarded(t testing.TB, size int) []byte {
	t.Helper()
	page := os.Getpagesize()
	inner := max(1, (size+page-1)/page) * page
	all, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			t.Error(err)
		}
	})

	for _, fence := range [][]byte{all[:page], all[page+inner:]} {
		if err := unix.Mprotect(fence, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return all[page : page+inner : page+inner]
}
