// Package bitshuffle contains the vector kernels of bitshuffle, which moves bit k of byte j of
// every item to bit row k of plane j.
//
// The kernels process whole groups of items from the first one on and return the number of items
// processed. The caller processes the rest in plain Go. The flags of package cpu select the kernel.
// Planes are pitch bytes apart; the eight rows of a plane are row bytes apart.
package bitshuffle

// groupItems is the number of items that kernels process at once: one cache line of each row.
const groupItems = 512

// lineBytes is the size of groupItems items in one row.
const lineBytes = groupItems / 8

// Shuffle moves bit k of byte j of item i of src to bit i%8 of dst[j*pitch+k*row+i/8], for the
// first n items. It returns n, which is 0 if there is no kernel. Items have size bytes, at least 1.
// Shuffle panics if dst has no room for len(src)/size items, and writes nothing beyond the n items
// of each row. dst and src must not overlap.
func Shuffle(dst []byte, pitch, row int, src []byte, size int) (n int) {
	items := len(src) / size
	n = items - items%groupItems
	if n == 0 {
		return 0
	}
	return shuffle(dst[:(size-1)*pitch+7*row+n/8], pitch, row, src[:n*size], size)
}

// Unshuffle is the inverse of Shuffle for the first n items. It returns n, which is 0 if there is
// no kernel. It panics if src has fewer than len(dst)/size items, and writes nothing beyond the
// first n items. dst and src must not overlap.
func Unshuffle(dst, src []byte, pitch, row, size int) (n int) {
	items := len(dst) / size
	n = items - items%groupItems
	if n == 0 {
		return 0
	}
	return unshuffle(dst[:n*size], src[:(size-1)*pitch+7*row+n/8], pitch, row, size)
}
