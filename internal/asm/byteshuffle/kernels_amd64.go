//go:build !purego

package byteshuffle

import "github.com/cairn-go/cairn/internal/asm/cpu"

func shuffle(dst []byte, pitch int, src []byte, size int) int {
	groups := len(src) / size / groupItems
	switch {
	case !cpu.AVX2:
		return 0
	case cpu.AVX512GFNI && powerSize(size):
		shuffleAVX512(dst, pitch, src, size)
	case size == 2:
		shuffle2AVX2(&dst[0], pitch, &src[0], groups)
	case size == 4:
		shuffle4AVX2(&dst[0], pitch, &src[0], groups)
	case size == 8:
		shuffle8AVX2(&dst[0], pitch, &src[0], groups)
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
	case !cpu.AVX2:
		return 0
	case cpu.AVX512GFNI && size == 16: // for 2, 4 and 8 bytes, AVX2 is as fast as memory
		unshuffle16AVX512(&dst[0], &src[0], pitch, groups, backward.at(16))
	case HasRows(size):
		var planes planes
		for j := range size {
			planes[j] = &src[j*pitch]
		}
		interleave(&dst[0], 0, &planes, size, Rows{Items: len(dst) / size, Count: 1})
		return len(dst) / size
	case size > 8:
		return unshuffleWide(dst, src, pitch, size)
	case size > 1:
		return unshuffleOctets(dst, src, pitch, size)
	default:
		return 0
	}

	return groups * groupItems
}

// powerSize reports whether the AVX-512 kernels support items of this size.
func powerSize(size int) bool { return size == 2 || size == 4 || size == 8 || size == 16 }

func columnsForward(dst *byte, pitch int, src *byte, stride, groups, quads int) {
	shuffleColumnsAVX2(dst, pitch, src, stride, groups, quads)
}

func columnsBackward(dst *byte, stride int, src *byte, pitch, groups int) {
	unshuffleColumnsAVX2(dst, stride, src, pitch, groups)
}

// unshuffleRest unshuffles the last left bytes, fewer than 16, of items of more than 8 bytes.
func unshuffleRest(dst, src []byte, pitch, size, left, groups int) {
	last := size - 8
	switch {
	case left <= 8:
	case size >= wideColumns:
		last = size - wideColumns
		unshuffleColumnsAVX2(&dst[last], size, &src[last*pitch], pitch, groups)
		return
	default:
		unshuffleEightsAVX2(&dst[0], size, &src[0], pitch, groups)
	}
	unshuffleEightsAVX2(&dst[last], size, &src[last*pitch], pitch, groups)
}
