//go:build !purego

package crc32c

import "github.com/cairn-go/cairn/internal/asm/cpu"

// foldAVX512 reduces groups of 256 bytes, at least one, to 16 bytes that leave the same remainder
// when they are divided. state is what the division before left; the bytes stand for it too.
//
//go:noescape
func foldAVX512(rest *[16]byte, b *byte, groups int, state uint32)

const (
	groupBytes = 256
	leastBytes = 4 * groupBytes // below, the table of the standard library is as fast
)

// fold does that for as much of b as is worth it, and returns how many bytes that is.
func fold(rest *[16]byte, b []byte, state uint32) int {
	if !cpu.AVX512GFNI || len(b) < leastBytes {
		return 0
	}
	groups := len(b) / groupBytes
	foldAVX512(rest, &b[0], groups, state)
	return groups * groupBytes
}
