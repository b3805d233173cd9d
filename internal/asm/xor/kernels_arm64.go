//go:build !purego

package xor

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The kernels process groups groups of 16 bytes. The number in the name is the size of a word in
// bytes.

//go:noescape
func running1NEON(dst, src *byte, groups int)

//go:noescape
func running2NEON(dst, src *byte, groups int)

//go:noescape
func running4NEON(dst, src *byte, groups int)

//go:noescape
func running8NEON(dst, src *byte, groups int)

const groupBytes = 16

func running(dst, src []byte, word int) int {
	groups := len(src) / groupBytes
	if !cpu.NEON || groups == 0 {
		return 0
	}

	switch word {
	case 1:
		running1NEON(&dst[0], &src[0], groups)
	case 2:
		running2NEON(&dst[0], &src[0], groups)
	case 4:
		running4NEON(&dst[0], &src[0], groups)
	case 8:
		running8NEON(&dst[0], &src[0], groups)
	default:
		return 0
	}

	return groups * groupBytes
}

// both has no kernel: crypto/subtle processes 64 bytes at a time.
func both(_, _, _ []byte) int { return 0 }
