// Package byteshuffle contains the vector kernels of byte shuffle, which moves byte j of every item
// to plane j.
//
// The kernels process whole groups of items from the first one on and return the number of items
// processed. The caller processes the rest in plain Go. The flags of package cpu select the kernel.
// Planes are pitch bytes apart, which may be more than their length.
package byteshuffle

// groupItems is the number of items that kernels process at once: one cache line of each plane.
const groupItems = 64

// Shuffle copies byte j of item i of src to dst[j*pitch+i], for the first n items. It returns n,
// which is 0 if there is no kernel. Items have size bytes, at least 1. Shuffle panics if dst has no
// room for len(src)/size items, and writes nothing beyond the n items of each plane. dst and src
// must not overlap.
func Shuffle(dst []byte, pitch int, src []byte, size int) (n int) {
	items := len(src) / size
	if items < groupItems {
		return 0
	}
	return shuffle(dst[:(size-1)*pitch+items], pitch, src[:items*size], size)
}

// Unshuffle copies src[j*pitch+i] to byte j of item i of dst, for the first n items. It returns n,
// which is 0 if there is no kernel. It panics if src has fewer than len(dst)/size items, and writes
// nothing beyond the first n items. dst and src must not overlap.
func Unshuffle(dst, src []byte, pitch, size int) (n int) {
	items := len(dst) / size
	if items < groupItems {
		return 0
	}
	return unshuffle(dst[:items*size], src[:(size-1)*pitch+items], pitch, size)
}

// ShuffleTurned is a Shuffle for the transposition of bits by GFNI, in an order that takes less
// work: each eight neighboring items are in reverse order, and qword q of each line of 64 bytes of
// plane j is at place (q - j*Turn(size)) mod 8. It supports items of 2, 4, 8 and 16 bytes with
// kernels of the tier AVX512GFNI, and returns 0 otherwise.
func ShuffleTurned(dst []byte, pitch int, src []byte, size int) (n int) {
	items := len(src) / size
	if items < groupItems {
		return 0
	}
	return shuffleTurned(dst[:(size-1)*pitch+items], pitch, src[:items*size], size)
}

// UnshuffleTurned is an Unshuffle of planes whose lines are rotated like those of ShuffleTurned,
// but whose items are in natural order. It supports the same items and kernels.
func UnshuffleTurned(dst, src []byte, pitch, size int) (n int) {
	items := len(dst) / size
	if items < groupItems {
		return 0
	}
	return unshuffleTurned(dst[:items*size], src[:(size-1)*pitch+items], pitch, size)
}

// Turn returns by how many more places ShuffleTurned rotates a plane than the previous one.
func Turn(size int) int {
	if size > 8 {
		return 0
	}
	return 8 / size
}

// Columns is how many bytes of an item ShuffleColumns and UnshuffleColumns process.
const Columns = 16

// ShuffleColumns copies byte j of item i of src to dst[j*pitch+i], for the first 16 bytes of
// 64*groups items that are stride bytes apart. It needs a kernel of the tier AVX2 or NEON, and
// panics without one.
func ShuffleColumns(dst []byte, pitch int, src []byte, stride, groups int) {
	items := groups * groupItems
	_ = dst[(Columns-1)*pitch+items-1]
	_ = src[(items-1)*stride+Columns-1]
	shuffleColumns(dst, pitch, src, stride, groups)
}

// UnshuffleColumns is the inverse of ShuffleColumns. It does not change the bytes between the 16
// bytes of one item and the next.
func UnshuffleColumns(dst []byte, stride int, src []byte, pitch, groups int) {
	items := groups * groupItems
	_ = src[(Columns-1)*pitch+items-1]
	_ = dst[(items-1)*stride+Columns-1]
	unshuffleColumns(dst, stride, src, pitch, groups)
}
