//go:build !purego

package bitshuffle

import (
	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// Eight neighboring items make one byte of each bit row, so these kernels treat them as one item of
// eight times the size, an octet. Byte shuffle of octets puts the bytes that share bits of rows
// into eight columns, one for each of the eight items. The kernels then load registers from the
// columns and transpose the bits across them.

const (
	mostBytes     = byteshuffle.Columns       // bytes of an item at a time
	columnScratch = 8 * mostBytes * lineBytes // all columns of a group of items of mostBytes
)

// bitsAVX2 converts columns to bit rows of several planes. Columns are step bytes apart: byte p of
// column i of src is item 8p+i of the first plane, whose row k begins at dst[k*row] and has
// 64*groups bytes. The next plane is apart bytes further in src and pitch bytes further in dst.
// bitsAVX2 overwrites src.
//
//go:noescape
func bitsAVX2(dst *byte, pitch, row int, src *byte, step, apart, planes, groups int)

// bitsBackAVX2 is the inverse of bitsAVX2: it writes columns to dst.
//
//go:noescape
func bitsBackAVX2(dst *byte, step, apart int, src *byte, pitch, row, planes, groups int)

// bitsAVX512 is bitsAVX2 but does not change src.
//
//go:noescape
func bitsAVX512(dst *byte, pitch, row int, src *byte, step, apart, planes, groups int)

// bitsBackAVX512 is bitsBackAVX2.
//
//go:noescape
func bitsBackAVX512(dst *byte, step, apart int, src *byte, pitch, row, planes, groups int)

// tileGroups returns how many groups of items fit into the scratch memory.
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

// loadOctets fills scratch with columns of 64*groups bytes: byte j of item 8p+i becomes byte p of
// column i*min(size, 16)+j.
func loadOctets(scratch, src []byte, size, groups int) {
	octet := 8 * size
	length := groups * lineBytes
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

// storeOctets is the inverse of loadOctets.
func storeOctets(dst, scratch []byte, size, groups int) {
	octet := 8 * size
	length := groups * lineBytes
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
