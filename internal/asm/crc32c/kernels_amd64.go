//go:build !purego

package crc32c

import "github.com/cairn-go/cairn/internal/asm/cpu"

// foldAVX512 reduces groups of 256 bytes, at least one, to 16 bytes with the same remainder. state
// is the remainder of the data before, which the result includes.
//
//go:noescape
func foldAVX512(rest *[16]byte, b *byte, groups int, state uint32)

const (
	groupBytes = 256
	leastBytes = 4 * groupBytes // for fewer bytes the table of the standard library is as fast
)

// fold folds the part of b that is long enough to pay, and returns its length in bytes.
func fold(rest *[16]byte, b []byte, state uint32) int {
	if !cpu.AVX512GFNI || len(b) < leastBytes {
		return 0
	}

	groups := len(b) / groupBytes
	foldAVX512(rest, &b[0], groups, state)
	return groups * groupBytes
}
