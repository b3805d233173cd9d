//go:build !purego

package truncmask

import "github.com/cairn-go/cairn/internal/asm/cpu"

// andNEON processes groups groups of 64 bytes.
//
//go:noescape
func andNEON(dst, src *byte, mask uint64, groups int)

const groupBytes = 64

func and(dst, src []byte, mask uint64) int {
	groups := len(src) / groupBytes
	if !cpu.NEON || groups == 0 {
		return 0
	}

	andNEON(&dst[0], &src[0], mask, groups)
	return groups * groupBytes
}
