//go:build !purego

package bitshuffle

// The AVX2 kernels for items of an even number of bytes, and for 16 bytes of wider items, need no
// columns of octets in memory (see octets_amd64.go). Byte shuffle of octets takes four steps. Three
// of them bring pairs of neighboring bytes together, by way of scratch memory. The last step
// separates the pairs in registers, just before the bits are transposed.

const (
	laneBytes = 16
	mostLanes = 16 // maximum lanes of an octet: the size of the kernels' scratch memory
)

// pairsAVX2 makes bit rows of 512*groups items; groups is at least 1. Octets are octet bytes apart
// and consist of lanes lanes of 16 bytes, which are lane bytes apart. Row k of byte j begins at
// dst[j*pitch+k*row]. The kernel processes 2*lanes bytes of each item.
//
//go:noescape
func pairsAVX2(dst *byte, pitch, row int, src *byte, octet, lane, lanes, groups int)

// pairsBackAVX2 is the inverse of pairsAVX2.
//
//go:noescape
func pairsBackAVX2(dst *byte, octet, lane int, src *byte, pitch, row, lanes, groups int)

// inPairs reports whether the kernels support items of this size.
func inPairs(size int) bool { return size >= laneBytes || size%2 == 0 }

// wholeInPairs reports whether the kernels process all bytes of the items at once.
func wholeInPairs(size int) bool { return size%2 == 0 && size/2 <= mostLanes }

func shufflePairs(dst []byte, pitch, row int, src []byte, size int) int {
	items := len(src) / size
	groups := items / groupItems
	if wholeInPairs(size) {
		pairsAVX2(&dst[0], pitch, row, &src[0], 8*size, laneBytes, size/2, groups)
		return items
	}

	for i := range groups {
		for j := 0; j < size; j += laneBytes {
			first := min(j, size-laneBytes)
			pairsAVX2(&dst[first*pitch+i*lineBytes], pitch, row, &src[i*groupItems*size+first], 8*size, size, laneBytes/2, 1)
		}
	}
	return items
}

func unshufflePairs(dst, src []byte, pitch, row, size int) int {
	items := len(dst) / size
	groups := items / groupItems
	if wholeInPairs(size) {
		pairsBackAVX2(&dst[0], 8*size, laneBytes, &src[0], pitch, row, size/2, groups)
		return items
	}

	for i := range groups {
		for j := 0; j < size; j += laneBytes {
			first := min(j, size-laneBytes)
			pairsBackAVX2(&dst[i*groupItems*size+first], 8*size, size, &src[first*pitch+i*lineBytes], pitch, row, laneBytes/2, 1)
		}
	}
	return items
}
