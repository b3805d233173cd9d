//go:build !purego

package bitshuffle

import "github.com/cairn-go/cairn/internal/asm/cpu"

func shuffle(dst []byte, pitch, row int, src []byte, size int) int {
	switch {
	case cpu.AVX512GFNI && planesFit(size):
		return shufflePlanes(dst, pitch, row, src, size)
	case cpu.AVX2:
		return shuffleOctets(dst, pitch, row, src, size)
	}
	return 0
}

func unshuffle(dst, src []byte, pitch, row, size int) int {
	switch {
	case cpu.AVX512GFNI && planesFit(size):
		return unshufflePlanes(dst, src, pitch, row, size)
	case cpu.AVX2:
		return unshuffleOctets(dst, src, pitch, row, size)
	}
	return 0
}
