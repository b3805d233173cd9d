// Package bitshuffle holds the vector kernels of bitshuffle: bit k of byte j of every item goes to
// bit row k of plane j.
//
// The kernels do whole groups of items, from the first on, and say how many; the caller does the
// rest in plain Go. Which kernel runs is up to the flags of package cpu. Planes are pitch bytes
// apart, the eight rows of a plane row bytes.
package bitshuffle

// groupItems is what kernels do at once: one cache line of each row.
const groupItems = 512

// lineBytes is what groupItems are in a row.
const lineBytes = groupItems / 8

// Shuffle puts bit k of byte j of item i of src to bit i%8 of dst[j*pitch+k*row+i/8], for the first
// n items, and returns n, which is 0 where there is no kernel. Items have size bytes, at least 1.
// It panics if dst has no room for len(src)/size items, and writes nothing beyond the n items of
// each row. dst and src must not overlap.
func Shuffle(dst []byte, pitch, row int, src []byte, size int) (n int) {
	items := len(src) / size
	n = items - items%groupItems
	if n == 0 {
		return 0
	}
	return shuffle(dst[:(size-1)*pitch+7*row+n/8], pitch, row, src[:n*size], size)
}

// Unshuffle undoes Shuffle for the first n items, and returns n, which is 0 where there is no
// kernel. It panics if src has less than len(dst)/size items, and writes nothing beyond the first n
// items. dst and src must not overlap.
func Unshuffle(dst, src []byte, pitch, row, size int) (n int) {
	items := len(dst) / size
	n = items - items%groupItems
	if n == 0 {
		return 0
	}
	return unshuffle(dst[:n*size], src[:(size-1)*pitch+7*row+n/8], pitch, row, size)
}
