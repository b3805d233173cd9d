//go:build !purego

package bitshuffle

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
)

// VGF2P8AFFINEQB transposes 8x8 bits in every qword, if the bytes of a matrix come in reverse
// order. What is left of making rows is a byte shuffle for items of 8 bytes, done as package
// byteshuffle does it: registers of eight parts, qwords, of which some move to the next register in
// each of three steps.

// gfniTables are what the kernels need to move bytes.
type gfniTables struct {
	// exchange is for VPERMT2Q, one index per register: every other part comes from a neighbouring
	// register, which is one of the three steps, and the parts are put in order.
	exchange [8][8]uint64
	// turned is for VPERMB, one index per register: byte q of row k in register r goes to, or comes
	// from, byte q of part (r-k) mod 8. Entry s is for planes whose qwords are turned by s in each
	// line.
	turned [8][8][64]byte
}

var forwardTables, backwardTables = func() (forward, backward gfniTables) {
	for r := range 8 {
		for at := range 8 {
			part := (at - r + 8) % 8 // what belongs here, of register r+part
			forward.exchange[r][at] = uint64(part + 8*(part%2))
			odd := at % 2 // comes from the register before
			backward.exchange[r][at] = uint64((at+r-odd)%8 + 8*odd)
			for k := range 8 {
				part := (r - k + 8) % 8
				for s := range 8 {
					from := 8 * ((at - s + 8) % 8)
					forward.turned[s][r][part*8+at] = byte(from + k) // rows take it from here
					// and planes get it, in reverse order
					backward.turned[s][r][from+7-k] = byte(part*8 + at)
				}
			}
		}
	}
	return forward, backward
}()

// turnOf returns the bytes of the tables by which planes j and j+1 differ, as
// byteshuffle.ShuffleTurned makes them and byteshuffle.UnshuffleTurned wants them.
func turnOf(size int) int { return byteshuffle.Turn(size) * len(forwardTables.turned[0]) * lineBytes }

// bitsGFNI makes bit rows of planes planes of 512*groups bytes that are step bytes apart. Row k of
// plane j begins at dst[j*pitch+k*row]. The items of the planes come in reverse order by eight.
// turn is how far the tables of one plane and the next are apart. If ahead is not 0, as many bytes
// there as there are in the planes are fetched into the cache; they need not exist.
//
//go:noescape
func bitsGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniTables, turn int, ahead uintptr)

// bitsInOrderGFNI is bitsGFNI for items in their natural order, which takes one more permutation.
//
//go:noescape
func bitsInOrderGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniTables, turn int)

// bitsBackGFNI undoes bitsInOrderGFNI.
//
//go:noescape
func bitsBackGFNI(dst *byte, step int, src *byte, pitch, row, planes, groups int, index *gfniTables, turn int)

func toRows(dst *byte, pitch, row int, src *byte, step, planes, groups int) {
	bitsInOrderGFNI(dst, pitch, row, src, step, planes, groups, &forwardTables, 0)
}

// toRowsOfItems makes rows of items by way of planes in scratch that are step bytes apart.
func toRowsOfItems(dst *byte, pitch, row int, scratch []byte, step int, src []byte, size int) {
	byteshuffle.ShuffleTurned(scratch, step, src, size)
	var ahead uintptr
	if size == 2 { // for wider items, of which more rows compete for the cache, it does harm
		ahead = uintptr(unsafe.Pointer(&src[0])) + uintptr(len(src))
	}
	bitsGFNI(dst, pitch, row, &scratch[0], step, size, len(src)/size/groupItems, &forwardTables, turnOf(size), ahead)
}

func fromRows(dst *byte, step int, src *byte, pitch, row, planes, groups int) {
	bitsBackGFNI(dst, step, src, pitch, row, planes, groups, &backwardTables, 0)
}

// fromRowsToItems undoes toRowsOfItems.
func fromRowsToItems(dst []byte, scratch []byte, step int, src *byte, pitch, row, size int) {
	bitsBackGFNI(&scratch[0], step, src, pitch, row, size, len(dst)/size/groupItems, &backwardTables, turnOf(size))
	byteshuffle.UnshuffleTurned(dst, scratch, step, size)
}
