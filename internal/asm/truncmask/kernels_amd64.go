//go:build !purego

package truncmask

import "github.com/cairn-go/cairn/internal/asm/cpu"

// andAVX2 processes groups groups of 128 bytes.
//
//go:noescape
func andAVX2(dst, src *byte, mask uint64, groups int)

const groupBytes = 128

func and(dst, src []byte, mask uint64) int {
	groups := len(src) / groupBytes
	if !cpu.AVX2 || groups == 0 {
		return 0
	}

	andAVX2(&dst[0], &src[0], mask, groups)
	return groups * groupBytes
}
