//go:build !purego

package bitshuffle

import "github.com/cairn-go/cairn/internal/asm/byteshuffle"

// Eight neighbouring items make one byte of each bit row. So they are taken for one item of eight times the size: byte
// shuffle of such octets puts the bytes that share bits of rows into eight registers, one for each of the eight items, and
// what is left is to transpose bits across the registers.

const (
	octets     = groupItems / 8         // octets at a time, as many as bytes of a cache line
	mostBytes  = byteshuffle.Columns    // bytes of an item at a time
	scratchLen = 8 * mostBytes * octets // all bytes of the octets, by columns
	columnLen  = octets                 // from one column to the next
)

// bitsAVX2 transposes bits of planes items: byte p of column i of src, columns being step bytes apart, is item 8p+i.
// Of the first plane it writes rows of 64 bytes to dst, row bytes apart. The next plane is 64 bytes on in src and pitch
// bytes in dst. It overwrites src.
//
//go:noescape
func bitsAVX2(dst *byte, pitch, row int, src *byte, step, planes int)

// bitsBackAVX2 undoes bitsAVX2: it writes columns to dst.
//
//go:noescape
func bitsBackAVX2(dst *byte, step int, src *byte, pitch, row, planes int)

func shuffleAVX2(dst []byte, pitch, row int, src []byte, size int) int {
	var buffer [scratchLen + cacheLine]byte
	scratch := aligned(buffer[:])
	items := len(src) / size
	for i := 0; i < items; i += groupItems {
		s := src[i*size:][:groupItems*size]
		for j := 0; j < size; j += mostBytes {
			planes := min(size, mostBytes)
			first := min(j, size-planes)
			loadOctets(scratch, s[first:], size)
			bitsAVX2(&dst[first*pitch+i/8], pitch, row, &scratch[0], planes*columnLen, planes)
		}
	}
	return items
}

func unshuffleAVX2(dst, src []byte, pitch, row, size int) int {
	var buffer [scratchLen + cacheLine]byte
	scratch := aligned(buffer[:])
	items := len(dst) / size
	for i := 0; i < items; i += groupItems {
		d := dst[i*size:][:groupItems*size]
		for j := 0; j < size; j += mostBytes {
			planes := min(size, mostBytes)
			first := min(j, size-planes)
			bitsBackAVX2(&scratch[0], planes*columnLen, &src[first*pitch+i/8], pitch, row, planes)
			storeOctets(d[first:], scratch, size)
		}
	}
	return items
}

// loadOctets fills scratch with columns: byte j of the items 8p+i goes to column i*min(size, 16)+j.
func loadOctets(scratch []byte, src []byte, size int) {
	octet := 8 * size
	switch {
	case size == 1:
		byteshuffle.Shuffle(scratch, columnLen, src, octet)
	case size < mostBytes:
		for c := 0; c < octet; c += byteshuffle.Columns {
			first := min(c, octet-byteshuffle.Columns)
			byteshuffle.ShuffleColumns(scratch[first*columnLen:], columnLen, src[first:], octet)
		}
	default:
		for i := range 8 {
			byteshuffle.ShuffleColumns(scratch[i*mostBytes*columnLen:], columnLen, src[i*size:], octet)
		}
	}
}

// storeOctets undoes loadOctets.
func storeOctets(dst []byte, scratch []byte, size int) {
	octet := 8 * size
	switch {
	case size == 1:
		byteshuffle.Unshuffle(dst, scratch, columnLen, octet)
	case size < mostBytes:
		for c := 0; c < octet; c += byteshuffle.Columns {
			first := min(c, octet-byteshuffle.Columns)
			byteshuffle.UnshuffleColumns(dst[first:], octet, scratch[first*columnLen:], columnLen)
		}
	default:
		for i := range 8 {
			byteshuffle.UnshuffleColumns(dst[i*size:], octet, scratch[i*mostBytes*columnLen:], columnLen)
		}
	}
}
