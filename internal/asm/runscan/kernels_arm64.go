//go:build !purego

package runscan

import (
	"bytes"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// sameNEON reports whether groups groups of 192 bytes consist of repetitions of the first 96 bytes.
//
//go:noescape
func sameNEON(src *byte, groups int) bool

func present() bool { return cpu.NEON }

// same needs no kernel for one line: it compares the first three lines and then uses the kernel for
// three.
func same(b []byte, lines, groups int) bool {
	if lines == 1 && !bytes.Equal(b[lineBytes:threeLines], b[:threeLines-lineBytes]) {
		return false
	}
	return sameNEON(&b[0], groups)
}
