//go:build !purego

package bitshuffle

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
)

// VGF2P8AFFINEQB transposes 8x8 bits in every qword, if the bytes of a matrix are in reverse order.
// Making rows then requires only a byte shuffle for items of 8 bytes, done as in package
// byteshuffle: a register consists of eight qwords, and each of three steps moves some of them to
// the next register.

// gfniTables contains the indexes with which the kernels permute bytes.
type gfniTables struct {
	// exchange contains indexes for VPERMT2Q, one per register. They take every other qword from an
	// adjacent register, which is one of the three steps, and put the qwords in order.
	exchange [8][8]uint64
	// turned contains indexes for VPERMB, one per register: byte q of row k in register r moves to
	// (forward) or from (backward) byte q of qword (r-k) mod 8. Entry s is for planes whose qwords
	// are rotated by s in each line.
	turned [8][8][64]byte
}

var forwardTables, backwardTables = func() (forward, backward gfniTables) {
	for r := range 8 {
		for at := range 8 {
			part := (at - r + 8) % 8 // the qword at this place is from register r+part
			forward.exchange[r][at] = uint64(part + 8*(part%2))
			odd := at % 2 // odd qwords are from the register before
			backward.exchange[r][at] = uint64((at+r-odd)%8 + 8*odd)
			for k := range 8 {
				part := (r - k + 8) % 8
				for s := range 8 {
					from := 8 * ((at - s + 8) % 8)
					forward.turned[s][r][part*8+at] = byte(from + k) // rows read it here
					// and planes receive it in reverse order
					backward.turned[s][r][from+7-k] = byte(part*8 + at)
				}
			}
		}
	}
	return forward, backward
}()

// turnOf returns the distance in bytes between the tables of planes j and j+1, for the order of
// byteshuffle.ShuffleTurned and byteshuffle.UnshuffleTurned.
func turnOf(size int) int { return byteshuffle.Turn(size) * len(forwardTables.turned[0]) * lineBytes }

// bitsGFNI converts planes to bit rows. A plane has 512*groups bytes; the planes are step bytes
// apart in src. Row k of plane j begins at dst[j*pitch+k*row]. Each eight neighboring items are in
// reverse order. turn is the distance between the tables of adjacent planes. If ahead is not 0, it
// is an address from which the kernel prefetches as many bytes as the planes have; they need not
// exist.
//
//go:noescape
func bitsGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniTables, turn int, ahead uintptr)

// bitsInOrderGFNI is bitsGFNI for items in natural order, which takes one more permutation.
//
//go:noescape
func bitsInOrderGFNI(dst *byte, pitch, row int, src *byte, step, planes, groups int, index *gfniTables, turn int)

// bitsBackGFNI is the inverse of bitsInOrderGFNI.
//
//go:noescape
func bitsBackGFNI(dst *byte, step int, src *byte, pitch, row, planes, groups int, index *gfniTables, turn int)

func toRows(dst *byte, pitch, row int, src *byte, step, planes, groups int) {
	bitsInOrderGFNI(dst, pitch, row, src, step, planes, groups, &forwardTables, 0)
}

// toRowsOfItems converts items to rows via planes in scratch, which are step bytes apart.
func toRowsOfItems(dst *byte, pitch, row int, scratch []byte, step int, src []byte, size int) {
	byteshuffle.ShuffleTurned(scratch, step, src, size)
	var ahead uintptr
	if size == 2 { // prefetching slows down wider items, whose rows compete for the cache
		ahead = uintptr(unsafe.Pointer(&src[0])) + uintptr(len(src))
	}
	bitsGFNI(dst, pitch, row, &scratch[0], step, size, len(src)/size/groupItems, &forwardTables, turnOf(size), ahead)
}

func fromRows(dst *byte, step int, src *byte, pitch, row, planes, groups int) {
	bitsBackGFNI(dst, step, src, pitch, row, planes, groups, &backwardTables, 0)
}

// fromRowsToItems is the inverse of toRowsOfItems.
func fromRowsToItems(dst []byte, scratch []byte, step int, src *byte, pitch, row, size int) {
	bitsBackGFNI(&scratch[0], step, src, pitch, row, size, len(dst)/size/groupItems, &backwardTables, turnOf(size))
	byteshuffle.UnshuffleTurned(dst, scratch, step, size)
}
