//go:build !purego

package bitshuffle

import (
	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// Eight neighbouring items make one byte of each bit row. So they are taken for one item of eight
// times the size: byte shuffle of such octets puts the bytes that share bits of rows into eight
// columns, one for each of the eight items, and what is left is to transpose bits across registers
// that are loaded from the columns.

const (
	mostBytes     = byteshuffle.Columns       // bytes of an item at a time
	columnScratch = 8 * mostBytes * lineBytes // all columns of one group of items of that size
)

// bitsAVX2 makes bit rows of planes planes. Byte p of column i of src is item 8p+i of the first
// plane, columns being step bytes apart; row k of it begins at dst[k*row] and gets 64*groups bytes.
// The next plane is apart bytes on in src and pitch bytes in dst. It overwrites src.
//
//go:noescape
func bitsAVX2(dst *byte, pitch, row int, src *byte, step, apart, planes, groups int)

// bitsBackAVX2 undoes bitsAVX2: it writes columns to dst.
//
//go:noescape
func bitsBackAVX2(dst *byte, step, apart int, src *byte, pitch, row, planes, groups int)

// bitsAVX512 is bitsAVX2 but leaves src alone.
//
//go:noescape
func bitsAVX512(dst *byte, pitch, row int, src *byte, step, apart, planes, groups int)

// bitsBackAVX512 is bitsBackAVX2.
//
//go:noescape
func bitsBackAVX512(dst *byte, step, apart int, src *byte, pitch, row, planes, groups int)

// tileGroups returns how many groups of items fill the scratch, by their columns.
func tileGroups(size int) int { return mostBytes / min(size, mostBytes) }

func shuffleOctets(dst []byte, pitch, row int, src []byte, size int) int {
	var buffer [columnScratch + cpu.CacheLine]byte
	scratch := cpu.Aligned(buffer[:])
	items := len(src) / size
	planes := min(size, mostBytes)
	for i := 0; i < items; {
		groups := min(tileGroups(size), (items-i)/groupItems)
		length := groups * lineBytes
		for j := 0; j < size; j += planes {
			first := min(j, size-planes)
			loadOctets(scratch, src[i*size+first:], size, groups)
			if cpu.AVX512 {
				bitsAVX512(&dst[first*pitch+i/8], pitch, row, &scratch[0], planes*length, length, planes, groups)
			} else {
				bitsAVX2(&dst[first*pitch+i/8], pitch, row, &scratch[0], planes*length, length, planes, groups)
			}
		}
		i += groups * groupItems
	}
	return items
}

func unshuffleOctets(dst, src []byte, pitch, row, size int) int {
	var buffer [columnScratch + cpu.CacheLine]byte
	scratch := cpu.Aligned(buffer[:])
	items := len(dst) / size
	planes := min(size, mostBytes)
	for i := 0; i < items; {
		groups := min(tileGroups(size), (items-i)/groupItems)
		length := groups * lineBytes
		for j := 0; j < size; j += planes {
			first := min(j, size-planes)
			if cpu.AVX512 {
				bitsBackAVX512(&scratch[0], planes*length, length, &src[first*pitch+i/8], pitch, row, planes, groups)
			} else {
				bitsBackAVX2(&scratch[0], planes*length, length, &src[first*pitch+i/8], pitch, row, planes, groups)
			}
			storeOctets(dst[i*size+first:], scratch, size, groups)
		}
		i += groups * groupItems
	}
	return items
}

// loadOctets fills scratch with columns of 64*groups bytes: byte j of the items 8p+i goes to column
// i*min(size, 16)+j.
func loadOctets(scratch, src []byte, size, groups int) {
	octet, length := 8*size, groups*lineBytes
	switch {
	case size == 1:
		byteshuffle.Shuffle(scratch, length, src[:octet*length], octet)
	case size < mostBytes:
		for c := 0; c < octet; c += byteshuffle.Columns {
			first := min(c, octet-byteshuffle.Columns)
			byteshuffle.ShuffleColumns(scratch[first*length:], length, src[first:], octet, groups)
		}
	default:
		for i := range 8 {
			byteshuffle.ShuffleColumns(scratch[i*mostBytes*length:], length, src[i*size:], octet, groups)
		}
	}
}

// storeOctets undoes loadOctets.
func storeOctets(dst, scratch []byte, size, groups int) {
	octet, length := 8*size, groups*lineBytes
	switch {
	case size == 1:
		byteshuffle.Unshuffle(dst[:octet*length], scratch, length, octet)
	case size < mostBytes:
		for c := 0; c < octet; c += byteshuffle.Columns {
			first := min(c, octet-byteshuffle.Columns)
			byteshuffle.UnshuffleColumns(dst[first:], octet, scratch[first*length:], length, groups)
		}
	default:
		for i := range 8 {
			byteshuffle.UnshuffleColumns(dst[i*size:], octet, scratch[i*mostBytes*length:], length, groups)
		}
	}
}
