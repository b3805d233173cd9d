package osfile_test

import (
	"testing"

	"github.com/cairn-go/cairn/internal/osfile"
)

// TestHugePagesKeepMemory checks that memory stays as it is and usable: buffers with and without
// whole huge pages, at any alignment.
func TestHugePagesKeepMemory(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 1<<21 - 1, 1 << 21, 5<<21 + 17} {
		for _, from := range []int{0, 1, 4095} {
			b := make([]byte, n+from)[from:]
			if n > 0 {
				b[0], b[n-1] = 1, 2
			}
			osfile.HugePages(b)
			for i := range b {
				want := byte(0)
				switch i {
				case n - 1:
					want = 2
				case 0:
					want = 1
				}
				if b[i] != want {
					t.Fatalf("%d bytes: byte %d is %d, want %d", n, i, b[i], want)
				}
				b[i] = byte(i)
			}
		}
	}
}
