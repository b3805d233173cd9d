package cpu

import "unsafe"

// CacheLine is the size in bytes of a cache line, which the layout of the kernels' scratch memory
// assumes.
const CacheLine = 64

// Aligned returns the part of buffer that begins with a cache line. buffer must have at least
// CacheLine bytes more than are needed. Vectors that straddle two lines cost twice as much. If
// buffer is on a stack that moves, alignment is lost, but nothing else.
func Aligned(buffer []byte) []byte {
	return buffer[-uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))%CacheLine:]
}
