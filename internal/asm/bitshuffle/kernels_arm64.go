//go:build !purego

package bitshuffle

import (
	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// bitsNEON converts planes to bit rows. A plane has 512*groups bytes; the planes are step bytes
// apart in src. Row k of plane j begins at dst[j*pitch+k*row].
//
//go:noescape
func bitsNEON(dst *byte, pitch, row int, src *byte, step, planes, groups int)

// bitsBackNEON is the inverse of bitsNEON.
//
//go:noescape
func bitsBackNEON(dst *byte, step int, src *byte, pitch, row, planes, groups int)

func shuffle(dst []byte, pitch, row int, src []byte, size int) int {
	if !cpu.NEON {
		return 0
	}
	return shufflePlanes(dst, pitch, row, src, size)
}

func unshuffle(dst, src []byte, pitch, row, size int) int {
	if !cpu.NEON {
		return 0
	}
	return unshufflePlanes(dst, src, pitch, row, size)
}

func toRows(dst *byte, pitch, row int, src *byte, step, planes, groups int) {
	bitsNEON(dst, pitch, row, src, step, planes, groups)
}

// toRowsOfItems converts items to rows via planes in scratch, which are step bytes apart.
func toRowsOfItems(dst *byte, pitch, row int, scratch []byte, step int, src []byte, size int) {
	byteshuffle.Shuffle(scratch, step, src, size)
	bitsNEON(dst, pitch, row, &scratch[0], step, size, len(src)/size/groupItems)
}

func fromRows(dst *byte, step int, src *byte, pitch, row, planes, groups int) {
	bitsBackNEON(dst, step, src, pitch, row, planes, groups)
}

// fromRowsToItems is the inverse of toRowsOfItems.
func fromRowsToItems(dst []byte, scratch []byte, step int, src *byte, pitch, row, size int) {
	bitsBackNEON(&scratch[0], step, src, pitch, row, size, len(dst)/size/groupItems)
	byteshuffle.Unshuffle(dst, scratch, step, size)
}
