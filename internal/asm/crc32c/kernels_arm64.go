//go:build !purego

package crc32c

import "github.com/cairn-go/cairn/internal/asm/cpu"

// foldNEON reduces groups of 128 bytes, at least one, to 16 bytes with the same remainder. state is
// the remainder of the data before, which the result includes.
//
//go:noescape
func foldNEON(rest *[16]byte, b *byte, groups int, state uint32)

const (
	groupBytes = 128
	leastBytes = 8 * groupBytes // for fewer bytes the instruction for checksums is as fast
)

// fold folds the part of b that is long enough to pay, and returns its length in bytes.
func fold(rest *[16]byte, b []byte, state uint32) int {
	if !cpu.NEON || !cpu.HasPMULL() || len(b) < leastBytes {
		return 0
	}

	groups := len(b) / groupBytes
	foldNEON(rest, &b[0], groups, state)
	return groups * groupBytes
}
