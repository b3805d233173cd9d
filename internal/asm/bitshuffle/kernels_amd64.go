//go:build !purego

package bitshuffle

import (
	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
	"github.com/cairn-go/cairn/internal/asm/cpu"
)

func shuffle(dst []byte, pitch, row int, src []byte, size int) int {
	switch {
	case cpu.AVX512GFNI && planesFit(size) && !pairsFit(size):
		return shufflePlanes(dst, pitch, row, src, size)
	case cpu.AVX2 && inPairs(size) && !(cpu.AVX512 && (size == 2 || size == 4 || size == 8)):
		return shufflePairs(dst, pitch, row, src, size)
	case cpu.AVX2:
		return shuffleOctets(dst, pitch, row, src, size)
	}
	return 0
}

func unshuffle(dst, src []byte, pitch, row, size int) int {
	switch {
	case cpu.AVX512GFNI && planesFit(size) && !pairsFit(size):
		return unshufflePlanes(dst, src, pitch, row, size)
	case cpu.AVX2 && inPairs(size) && !(cpu.AVX512 && size < 8):
		return unshufflePairs(dst, src, pitch, row, size)
	case cpu.AVX2:
		return unshuffleOctets(dst, src, pitch, row, size)
	}
	return 0
}

// planesFit reports whether a byte shuffle makes planes of whole groups of items: either kernels
// for this size or, for wide items, kernels for 16 columns.
func planesFit(size int) bool {
	return size == 1 || size == 2 || size == 4 || size == 8 || size >= byteshuffle.Columns
}

// pairsFit reports whether the kernels for 16 columns would do half of their work twice, so that
// pairs of bytes are faster even than GFNI.
func pairsFit(size int) bool { return size > laneBytes && size%laneBytes > 0 && wholeInPairs(size) }
