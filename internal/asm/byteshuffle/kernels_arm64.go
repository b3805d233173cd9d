//go:build !purego

package byteshuffle

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The kernels for items of 2, 3, 4 and 8 bytes process groups groups of 64 items.

//go:noescape
func shuffle2NEON(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func shuffle3NEON(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func shuffle4NEON(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func shuffle8NEON(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func unshuffle2NEON(dst, src *byte, pitch, groups int)

//go:noescape
func unshuffle3NEON(dst, src *byte, pitch, groups int)

//go:noescape
func unshuffle4NEON(dst, src *byte, pitch, groups int)

//go:noescape
func unshuffle8NEON(dst, src *byte, pitch, groups int)

// shuffleColumnsNEON reads 16 bytes of every item and writes the first 4*quads of the resulting
// planes. Items are stride bytes apart.
//
//go:noescape
func shuffleColumnsNEON(dst *byte, pitch int, src *byte, stride, groups, quads int)

// unshuffleColumnsNEON writes 16 bytes of every item. Items are stride bytes apart.
//
//go:noescape
func unshuffleColumnsNEON(dst *byte, stride int, src *byte, pitch, groups int)

func shuffle(dst []byte, pitch int, src []byte, size int) int {
	groups := len(src) / size / groupItems
	switch {
	case !cpu.NEON:
		return 0
	case size == 2:
		shuffle2NEON(&dst[0], pitch, &src[0], groups)
	case size == 3:
		shuffle3NEON(&dst[0], pitch, &src[0], groups)
	case size == 4:
		shuffle4NEON(&dst[0], pitch, &src[0], groups)
	case size == 8:
		shuffle8NEON(&dst[0], pitch, &src[0], groups)
	case size >= wideColumns:
		return shuffleWide(dst, pitch, src, size)
	case size > 1:
		return shuffleOctets(dst, pitch, src, size)
	default:
		return 0
	}

	return groups * groupItems
}

func unshuffle(dst, src []byte, pitch, size int) int {
	groups := len(dst) / size / groupItems
	switch {
	case !cpu.NEON:
		return 0
	case size == 2:
		unshuffle2NEON(&dst[0], &src[0], pitch, groups)
	case size == 3:
		unshuffle3NEON(&dst[0], &src[0], pitch, groups)
	case size == 4:
		unshuffle4NEON(&dst[0], &src[0], pitch, groups)
	case size == 8:
		unshuffle8NEON(&dst[0], &src[0], pitch, groups)
	case size >= wideColumns:
		return unshuffleWide(dst, src, pitch, size)
	case size > 1:
		return unshuffleOctets(dst, src, pitch, size)
	default:
		return 0
	}

	return groups * groupItems
}

func columnsForward(dst *byte, pitch int, src *byte, stride, groups, quads int) {
	shuffleColumnsNEON(dst, pitch, src, stride, groups, quads)
}

func columnsBackward(dst *byte, stride int, src *byte, pitch, groups int) {
	unshuffleColumnsNEON(dst, stride, src, pitch, groups)
}

// unshuffleRest unshuffles the last bytes of items of more than 16 bytes. It repeats some of the
// columns already done.
func unshuffleRest(dst, src []byte, pitch, size, _, groups int) {
	last := size - wideColumns
	columnsBackward(&dst[last], size, &src[last*pitch], pitch, groups)
}
