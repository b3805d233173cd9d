//go:build !purego

package bytedelta

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The kernels process groups groups of 64 bytes.

//go:noescape
func differencesAVX2(dst, src *byte, groups int)

//go:noescape
func sumsAVX2(dst, src *byte, groups int)

const groupBytes = 64

func differences(dst, src []byte) int {
	groups := len(src) / groupBytes
	if !cpu.AVX2 || groups == 0 {
		return 0
	}

	differencesAVX2(&dst[0], &src[0], groups)
	return groups * groupBytes
}

func sums(dst, src []byte) int {
	groups := len(src) / groupBytes
	if !cpu.AVX2 || groups == 0 {
		return 0
	}

	sumsAVX2(&dst[0], &src[0], groups)
	return groups * groupBytes
}
