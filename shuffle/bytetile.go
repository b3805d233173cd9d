package shuffle

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
)

// shuffleItems copies byte j of item i of src to dst[j*pitch+i]. size, the bytes per item, must
// divide len(src).
func shuffleItems(dst []byte, pitch int, src []byte, size int) {
	if done := byteshuffle.Shuffle(dst, pitch, src, size); done*size < len(src) {
		shuffleTiles(dst[done:], pitch, src[done*size:], size)
	}
}

// Byte shuffle in plain Go: tiles of 8 items by up to 8 bytes are transposed in eight 64-bit words.
// The remaining bytes are copied one by one.

// shuffleTiles is shuffleItems without vector kernels.
func shuffleTiles(dst []byte, pitch int, src []byte, size int) {
	items := len(src) / size
	done := 0
	switch {
	case size == 1:
		copy(dst, src)
		return
	case size == 2:
		done = shuffleTiles2(dst, pitch, src)
	case size <= 4:
		done = shuffleTiles4(dst, pitch, src, size)
	case size <= 8:
		done = shuffleTiles8(dst, pitch, src, size)
	case items >= 8:
		done = items &^ 7
		for j := 0; j < size; j += 8 {
			// the last tiles overlap with previous ones if 8 does not divide size
			first := min(j, size-8)
			shuffleColumns(dst[first*pitch:], pitch, src[first:], size, done)
		}
	}

	for i := done; i < items; i++ {
		for j := range size {
			dst[j*pitch+i] = src[i*size+j]
		}
	}
}

// shuffleColumns shuffles the first 8 bytes of each of the given number of items, a multiple of 8.
func shuffleColumns(dst []byte, pitch int, src []byte, size, items int) {
	le := binary.LittleEndian
	for i := 0; i < items; i += 8 {
		s := src[i*size:]
		a, b, c, d, e, f, g, h := transposeBytes(
			le.Uint64(s), le.Uint64(s[size:]), le.Uint64(s[2*size:]), le.Uint64(s[3*size:]),
			le.Uint64(s[4*size:]), le.Uint64(s[5*size:]), le.Uint64(s[6*size:]), le.Uint64(s[7*size:]))

		t := dst[i:]
		le.PutUint64(t, a)
		le.PutUint64(t[pitch:], b)
		le.PutUint64(t[2*pitch:], c)
		le.PutUint64(t[3*pitch:], d)
		le.PutUint64(t[4*pitch:], e)
		le.PutUint64(t[5*pitch:], f)
		le.PutUint64(t[6*pitch:], g)
		le.PutUint64(t[7*pitch:], h)
	}
}

// shuffleTiles8 shuffles items of 5 to 8 bytes and returns the number of items processed. It reads
// 8 bytes per item, so it stops where these would extend beyond src.
func shuffleTiles8(dst []byte, pitch int, src []byte, size int) int {
	le := binary.LittleEndian
	i := 0
	for ; i*size+7*size+8 <= len(src); i += 8 {
		s := src[i*size:]
		a, b, c, d, e, f, g, h := transposeBytes(
			le.Uint64(s), le.Uint64(s[size:]), le.Uint64(s[2*size:]), le.Uint64(s[3*size:]),
			le.Uint64(s[4*size:]), le.Uint64(s[5*size:]), le.Uint64(s[6*size:]), le.Uint64(s[7*size:]))

		t := dst[i:]
		le.PutUint64(t, a)
		le.PutUint64(t[pitch:], b)
		le.PutUint64(t[2*pitch:], c)
		le.PutUint64(t[3*pitch:], d)
		le.PutUint64(t[4*pitch:], e)
		if size > 5 {
			le.PutUint64(t[5*pitch:], f)
		}
		if size > 6 {
			le.PutUint64(t[6*pitch:], g)
		}
		if size > 7 {
			le.PutUint64(t[7*pitch:], h)
		}
	}
	return i
}

// shuffleTiles4 is shuffleTiles8 for items of 3 and 4 bytes. Words contain items i and i+4.
func shuffleTiles4(dst []byte, pitch int, src []byte, size int) int {
	le := binary.LittleEndian
	i := 0
	for ; i*size+7*size+4 <= len(src); i += 8 {
		s := src[i*size:]
		a := uint64(le.Uint32(s)) | uint64(le.Uint32(s[4*size:]))<<32
		b := uint64(le.Uint32(s[size:])) | uint64(le.Uint32(s[5*size:]))<<32
		c := uint64(le.Uint32(s[2*size:])) | uint64(le.Uint32(s[6*size:]))<<32
		d := uint64(le.Uint32(s[3*size:])) | uint64(le.Uint32(s[7*size:]))<<32

		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)

		t := dst[i:]
		le.PutUint64(t, a)
		le.PutUint64(t[pitch:], b)
		le.PutUint64(t[2*pitch:], c)
		if size > 3 {
			le.PutUint64(t[3*pitch:], d)
		}
	}
	return i
}

// shuffleTiles2 shuffles items of 2 bytes and returns the number of items processed.
func shuffleTiles2(dst []byte, pitch int, src []byte) int {
	le := binary.LittleEndian
	i := 0
	for ; 2*i+16 <= len(src); i += 8 {
		s := src[2*i:]
		a := le.Uint64(s)
		b := le.Uint64(s[8:])

		t := dst[i:]
		le.PutUint64(t, gatherEven(a)|gatherEven(b)<<32)
		le.PutUint64(t[pitch:], gatherEven(a>>8)|gatherEven(b>>8)<<32)
	}
	return i
}

// gatherEven moves bytes 0, 2, 4 and 6 of x together and clears the rest.
func gatherEven(x uint64) uint64 {
	x &= evenBytes
	x = (x | x>>8) & evenWords
	return (x | x>>16) & evenDwords
}

// spreadEven undoes gatherEven.
func spreadEven(x uint64) uint64 {
	x &= evenDwords
	x = (x | x<<16) & evenWords
	return (x | x<<8) & evenBytes
}
