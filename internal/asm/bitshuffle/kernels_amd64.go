//go:build !purego

package bitshuffle

import "github.com/cairn-go/cairn/internal/asm/cpu"

func shuffle(dst []byte, pitch, row int, src []byte, size int) int {
	if !cpu.AVX2 {
		return 0
	}
	return shuffleAVX2(dst, pitch, row, src, size)
}

func unshuffle(dst, src []byte, pitch, row, size int) int {
	if !cpu.AVX2 {
		return 0
	}
	return unshuffleAVX2(dst, src, pitch, row, size)
}
