//go:build !purego

package xor

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The kernels process groups groups of 32 bytes. The number in the name is the size of a word in
// bytes.

//go:noescape
func running1AVX2(dst, src *byte, groups int)

//go:noescape
func running2AVX2(dst, src *byte, groups int)

//go:noescape
func running4AVX2(dst, src *byte, groups int)

//go:noescape
func running8AVX2(dst, src *byte, groups int)

func running(dst, src []byte, word int) int {
	groups := len(src) / 32
	if !cpu.AVX2 || groups == 0 {
		return 0
	}

	switch word {
	case 1:
		running1AVX2(&dst[0], &src[0], groups)
	case 2:
		running2AVX2(&dst[0], &src[0], groups)
	case 4:
		running4AVX2(&dst[0], &src[0], groups)
	case 8:
		running8AVX2(&dst[0], &src[0], groups)
	default:
		return 0
	}

	return groups * 32
}

// bothAVX2 processes groups groups of 128 bytes.
//
//go:noescape
func bothAVX2(dst, a, b *byte, groups int)

func both(dst, a, b []byte) int {
	groups := len(dst) / 128
	if !cpu.AVX2 || groups == 0 {
		return 0
	}
	bothAVX2(&dst[0], &a[0], &b[0], groups)
	return groups * 128
}
