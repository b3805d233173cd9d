//go:build !purego && (amd64 || arm64)

package bitshuffle

import (
	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// Here byte shuffle first makes planes of some thousand bytes of items. A kernel then converts
// every 512 bytes of a plane to 64 bytes of each of its eight rows. The architecture determines the
// kernel: the functions whose names begin with toRows and fromRows.

// planeScratch is the memory for the planes, small enough for the first-level cache.
const planeScratch = byteshuffle.Columns * groupItems

// planeItems is how many items go through scratch at a time.
func planeItems(size int) int { return planeScratch / size &^ (groupItems - 1) }

func shufflePlanes(dst []byte, pitch, row int, src []byte, size int) int {
	items := len(src) / size
	switch {
	case size == 1:
		toRows(&dst[0], 0, row, &src[0], 0, 1, items/groupItems)
	case size > byteshuffle.Columns:
		shuffleColumns(dst, pitch, row, src, size)
	default:
		var buffer [2*planeScratch + cpu.CacheLine]byte
		scratch := cpu.Aligned(buffer[:])
		step := planeItems(size)
		if size == 4 || size == 8 {
			step *= 2 // longer pieces of the many rows; unshuffling gains nothing from it
		}
		for i := 0; i < items; i += step {
			n := min(step, items-i)
			toRowsOfItems(&dst[i/8], pitch, row, scratch, step, src[i*size:(i+n)*size], size)
		}
	}

	return items
}

func unshufflePlanes(dst, src []byte, pitch, row, size int) int {
	items := len(dst) / size
	switch {
	case size == 1:
		fromRows(&dst[0], 0, &src[0], 0, row, 1, items/groupItems)
	case size > byteshuffle.Columns:
		unshuffleColumns(dst, src, pitch, row, size)
	default:
		var buffer [planeScratch + cpu.CacheLine]byte
		scratch := cpu.Aligned(buffer[:])
		step := planeItems(size)
		for i := 0; i < items; i += step {
			n := min(step, items-i)
			fromRowsToItems(dst[i*size:(i+n)*size], scratch, step, &src[i/8], pitch, row, size)
		}
	}
	return items
}

// shuffleColumns processes 16 columns of 512 items at a time. If 16 does not divide size, the last
// columns overlap the previous ones.
func shuffleColumns(dst []byte, pitch, row int, src []byte, size int) {
	var buffer [planeScratch + cpu.CacheLine]byte
	scratch := cpu.Aligned(buffer[:])

	for i := 0; i < len(src)/size; i += groupItems {
		s := src[i*size:][:groupItems*size]
		for j := 0; j < size; j += byteshuffle.Columns {
			first := min(j, size-byteshuffle.Columns)
			byteshuffle.ShuffleColumns(scratch, groupItems, s[first:], size, groupItems/lineBytes)
			toRows(&dst[first*pitch+i/8], pitch, row, &scratch[0], groupItems, byteshuffle.Columns, 1)
		}
	}
}

func unshuffleColumns(dst, src []byte, pitch, row, size int) {
	var buffer [planeScratch + cpu.CacheLine]byte
	scratch := cpu.Aligned(buffer[:])

	for i := 0; i < len(dst)/size; i += groupItems {
		d := dst[i*size:][:groupItems*size]
		for j := 0; j < size; j += byteshuffle.Columns {
			first := min(j, size-byteshuffle.Columns)
			fromRows(&scratch[0], groupItems, &src[first*pitch+i/8], pitch, row, byteshuffle.Columns, 1)
			byteshuffle.UnshuffleColumns(d[first:], size, scratch, groupItems, groupItems/lineBytes)
		}
	}
}
