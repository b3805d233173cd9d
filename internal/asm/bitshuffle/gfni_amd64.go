//go:build !purego

package bitshuffle

import "github.com/cairn-go/cairn/internal/asm/byteshuffle"

// VGF2P8AFFINEQB transposes 8x8 bits in every qword, if the bytes of a matrix come in reverse order. What is left of
// making rows is a byte shuffle for items of 8 bytes, done as package byteshuffle does it.

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

func toRows(dst *byte, pitch, row int, src *byte, step, planes, groups int) {
	bitsInOrderGFNI(dst, pitch, row, src, step, planes, groups, &forwardIndexes)
}

// toRowsOfItems makes rows of items by way of planes in scratch that are step bytes apart.
func toRowsOfItems(dst *byte, pitch, row int, scratch []byte, step int, src []byte, size int) {
	byteshuffle.ShuffleReversed(scratch, step, src, size)
	bitsGFNI(dst, pitch, row, &scratch[0], step, size, len(src)/size/groupItems, &forwardIndexes)
}

func fromRows(dst *byte, step int, src *byte, pitch, row, planes, groups int) {
	bitsBackGFNI(dst, step, src, pitch, row, planes, groups, &backwardIndexes)
}
