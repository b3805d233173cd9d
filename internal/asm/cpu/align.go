package cpu

import "unsafe"

// CacheLine is the bytes of a cache line, as far as kernels lay out their scratch by it.
const CacheLine = 64

// Aligned returns the part of buffer that begins with a cache line. buffer has at least CacheLine
// bytes more than are needed. Vectors that straddle two lines cost twice; should the stack that
// holds buffer move, that is all that happens.
func Aligned(buffer []byte) []byte {
	return buffer[-uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))%CacheLine:]
}
