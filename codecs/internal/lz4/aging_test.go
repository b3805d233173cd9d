package lz4

import (
	"bytes"
	"testing"
)

// TestAging sets the positions in the table close to overflow, which normally takes 2 GiB of
// sources, and compares the output with that of a new encoder.
func TestAging(t *testing.T) {
	src := bytes.Repeat([]byte("some bytes that come again, and "), 100)
	other := bytes.Repeat([]byte("that come first, again"), 200)
	for _, level := range []int{1, 5} {
		want := make([]byte, len(src))
		want = want[:NewHCEncoder(level).Encode(want, src)]
		for _, left := range []uint32{0, 1, 100, 3199, 3200, 3201, 7599, 7600, 7601} {
			e, dst := NewHCEncoder(level), make([]byte, len(src))
			e.Encode(dst, other)
			e.chains.base = 1<<31 - left
			e.Encode(dst, other)
			for range 3 {
				if n := e.Encode(dst, src); !bytes.Equal(dst[:n], want) {
					t.Errorf("%d bytes before the wrap: %d bytes of output differ from a new encoder's %d", left, n, len(want))
				}
			}
		}
	}
}
