//go:build !purego

package bitshuffle

import "github.com/cairn-go/cairn/internal/asm/byteshuffle"

// With GFNI a plane is made of bit rows by itself: byte shuffle gives planes, some thousand items at a time, and the
// kernel turns each 512 bytes of a plane into 64 bytes of each of its eight rows. VGF2P8AFFINEQB transposes 8x8 bits in every
// qword, if the bytes of a matrix come in reverse order; what is left is a byte shuffle for items of 8 bytes, done as
// package byteshuffle does it.

const gfniScratch = 16 * groupItems

// planesGFNI tells whether there is a byte shuffle to make planes of items: the sizes of the AVX-512 kernels, and wide ones
// by 16 columns. Others go by octets.
func planesGFNI(size int) bool {
	return size == 1 || size == 2 || size == 4 || size == 8 || size >= byteshuffle.Columns
}

// gfniIndexes are for VPERMB, one per register: byte q of row k in register r goes to, or comes from, byte q of part
// (r-k) mod 8. forwardIndexes take a row k from bytes 8q+k. backwardIndexes put it to bytes 8q+7-k, in reverse order.
type gfniIndexes [8][64]byte

var forwardIndexes, backwardIndexes = func() (forward, backward gfniIndexes) {
	for r := range 8 {
		for k := range 8 {
			part := (r - k + 8) % 8
			for q := range 8 {
				forward[r][part*8+q] = byte(8*q + k)
				backward[r][8*q+7-k] = byte(part*8 + q)
			}
		}
	}
	return forward, backward
}()

// bitsGFNI makes bit rows of planes planes of 512*groups bytes that are step bytes apart. Row k of plane j begins at
// dst[j*pitch+k*row]. The items of the planes come in reverse order by eight.
//
//go:noescape
func bitsGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniIndexes)

// bitsInOrderGFNI is bitsGFNI for items in their natural order, which takes one more permutation.
//
//go:noescape
func bitsInOrderGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniIndexes)

// bitsBackGFNI undoes bitsInOrderGFNI.
//
//go:noescape
func bitsBackGFNI(dst *byte, step int, src *byte, pitch, row, planes, groups int, index *gfniIndexes)

func shuffleGFNI(dst []byte, pitch, row int, src []byte, size int) int {
	items := len(src) / size
	switch {
	case size == 1:
		bitsInOrderGFNI(&dst[0], 0, row, &src[0], 0, 1, items/groupItems, &forwardIndexes)
	case size > byteshuffle.Columns:
		shuffleColumnsGFNI(dst, pitch, row, src, size)
	default:
		var buffer [gfniScratch + cacheLine]byte
		scratch := aligned(buffer[:])
		step := gfniScratch / size
		for i := 0; i < items; i += step {
			n := min(step, items-i)
			byteshuffle.ShuffleReversed(scratch, step, src[i*size:(i+n)*size], size)
			bitsGFNI(&dst[i/8], pitch, row, &scratch[0], step, size, n/groupItems, &forwardIndexes)
		}
	}
	return items
}

func unshuffleGFNI(dst, src []byte, pitch, row, size int) int {
	items := len(dst) / size
	switch {
	case size == 1:
		bitsBackGFNI(&dst[0], 0, &src[0], 0, row, 1, items/groupItems, &backwardIndexes)
	case size > byteshuffle.Columns:
		unshuffleColumnsGFNI(dst, src, pitch, row, size)
	default:
		var buffer [gfniScratch + cacheLine]byte
		scratch := aligned(buffer[:])
		step := gfniScratch / size
		for i := 0; i < items; i += step {
			n := min(step, items-i)
			bitsBackGFNI(&scratch[0], step, &src[i/8], pitch, row, size, n/groupItems, &backwardIndexes)
			byteshuffle.Unshuffle(dst[i*size:(i+n)*size], scratch, step, size)
		}
	}
	return items
}

// shuffleColumnsGFNI goes by 16 columns of 512 items. The last columns overlap with those before if 16 does not divide size.
func shuffleColumnsGFNI(dst []byte, pitch, row int, src []byte, size int) {
	var buffer [gfniScratch + cacheLine]byte
	scratch := aligned(buffer[:])
	for i := 0; i < len(src)/size; i += groupItems {
		s := src[i*size:][:groupItems*size]
		for j := 0; j < size; j += byteshuffle.Columns {
			first := min(j, size-byteshuffle.Columns)
			for q := 0; q < groupItems; q += octets {
				byteshuffle.ShuffleColumns(scratch[q:], groupItems, s[q*size+first:], size)
			}
			bitsInOrderGFNI(&dst[first*pitch+i/8], pitch, row, &scratch[0], groupItems, byteshuffle.Columns, 1, &forwardIndexes)
		}
	}
}

func unshuffleColumnsGFNI(dst, src []byte, pitch, row, size int) {
	var buffer [gfniScratch + cacheLine]byte
	scratch := aligned(buffer[:])
	for i := 0; i < len(dst)/size; i += groupItems {
		d := dst[i*size:][:groupItems*size]
		for j := 0; j < size; j += byteshuffle.Columns {
			first := min(j, size-byteshuffle.Columns)
			bitsBackGFNI(&scratch[0], groupItems, &src[first*pitch+i/8], pitch, row, byteshuffle.Columns, 1, &backwardIndexes)
			for q := 0; q < groupItems; q += octets {
				byteshuffle.UnshuffleColumns(d[q*size+first:], size, scratch[q:], groupItems)
			}
		}
	}
}
