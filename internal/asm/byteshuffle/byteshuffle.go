// Package byteshuffle holds the vector kernels of byte shuffle: byte j of every item goes to plane
// j.
//
// The kernels do whole groups of items, from the first on, and say how many; the caller does the
// rest in plain Go. Which kernel runs is up to the flags of package cpu. Planes are pitch bytes
// apart, which may be more than they are long.
package byteshuffle

// groupItems is what kernels do at once: one cache line of each plane.
const groupItems = 64

// Shuffle puts byte j of item i of src to dst[j*pitch+i], for the first n items, and returns n,
// which is 0 where there is no kernel. Items have size bytes, at least 1. It panics if dst has no
// room for len(src)/size items, and writes nothing beyond the n items of each plane. dst and src
// must not overlap.
func Shuffle(dst []byte, pitch int, src []byte, size int) (n int) {
	items := len(src) / size
	if items < groupItems {
		return 0
	}
	return shuffle(dst[:(size-1)*pitch+items], pitch, src[:items*size], size)
}

// Unshuffle puts src[j*pitch+i] to byte j of item i of dst, for the first n items, and returns n,
// which is 0 where there is no kernel. It panics if src has less than len(dst)/size items, and
// writes nothing beyond the first n items. dst and src must not overlap.
func Unshuffle(dst, src []byte, pitch, size int) (n int) {
	items := len(dst) / size
	if items < groupItems {
		return 0
	}
	return unshuffle(dst[:items*size], src[:(size-1)*pitch+items], pitch, size)
}

// ShuffleTurned is Shuffle in an order that takes less work, for the transposition of bits by GFNI:
// each eight neighbouring items come in reverse order, and each line of 64 bytes of plane j has its
// qword q at place (q - j*Turn(size)) mod 8. It is for items of 2, 4, 8 and 16 bytes, and for
// kernels of the tier AVX512GFNI; elsewhere it returns 0.
func ShuffleTurned(dst []byte, pitch int, src []byte, size int) (n int) {
	items := len(src) / size
	if items < groupItems {
		return 0
	}
	return shuffleTurned(dst[:(size-1)*pitch+items], pitch, src[:items*size], size)
}

// UnshuffleTurned is Unshuffle of planes whose lines are turned like those of ShuffleTurned; items
// come in their natural order. It is for the same items and kernels.
func UnshuffleTurned(dst, src []byte, pitch, size int) (n int) {
	items := len(dst) / size
	if items < groupItems {
		return 0
	}
	return unshuffleTurned(dst[:items*size], src[:(size-1)*pitch+items], pitch, size)
}

// Turn returns by how many places more than the plane before ShuffleTurned turns a plane.
func Turn(size int) int {
	if size > 8 {
		return 0
	}
	return 8 / size
}

// Columns is how many bytes of an item ShuffleColumns and UnshuffleColumns handle.
const Columns = 16

// ShuffleColumns puts byte j of item i of src to dst[j*pitch+i], for the first 16 bytes of
// 64*groups items that are stride bytes apart. There is no plain Go behind it: it is for kernels of
// the tiers AVX2 and NEON, and panics elsewhere.
func ShuffleColumns(dst []byte, pitch int, src []byte, stride, groups int) {
	items := groups * groupItems
	_, _ = dst[(Columns-1)*pitch+items-1], src[(items-1)*stride+Columns-1]
	shuffleColumns(dst, pitch, src, stride, groups)
}

// UnshuffleColumns undoes ShuffleColumns and leaves alone what is between the 16 bytes of one item
// and the next.
func UnshuffleColumns(dst []byte, stride int, src []byte, pitch, groups int) {
	items := groups * groupItems
	_, _ = src[(Columns-1)*pitch+items-1], dst[(items-1)*stride+Columns-1]
	unshuffleColumns(dst, stride, src, pitch, groups)
}
