//go:build !purego && (amd64 || arm64)

package bitshuffle

import "unsafe"

const cacheLine = 64

// aligned returns the part of buffer that begins with a cache line. Vectors that straddle two lines cost twice; if the
// stack moves meanwhile, that is all that happens.
func aligned(buffer []byte) []byte {
	return buffer[-uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))%cacheLine:]
}
