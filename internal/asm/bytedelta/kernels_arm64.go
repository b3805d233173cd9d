//go:build !purego

package bytedelta

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The kernels process groups groups of 16 bytes.

//go:noescape
func differencesNEON(dst, src *byte, groups int)

//go:noescape
func sumsNEON(dst, src *byte, groups int)

const groupBytes = 16

func differences(dst, src []byte) int {
	groups := len(src) / groupBytes
	if !cpu.NEON || groups == 0 {
		return 0
	}

	differencesNEON(&dst[0], &src[0], groups)
	return groups * groupBytes
}

func sums(dst, src []byte) int {
	groups := len(src) / groupBytes
	if !cpu.NEON || groups == 0 {
		return 0
	}

	sumsNEON(&dst[0], &src[0], groups)
	return groups * groupBytes
}
