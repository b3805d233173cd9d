package shuffle

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
)

// unshuffleItems copies src[j*pitch+i] to byte j of item i of dst. size, the bytes per item, must
// divide len(dst).
func unshuffleItems(dst, src []byte, pitch, size int) {
	if done := byteshuffle.Unshuffle(dst, src, pitch, size); done*size < len(dst) {
		unshuffleTiles(dst[done*size:], src[done:], pitch, size)
	}
}

// unshuffleTiles is unshuffleItems without vector kernels.
func unshuffleTiles(dst, src []byte, pitch, size int) {
	items := len(dst) / size
	done := 0
	switch {
	case size == 1:
		copy(dst, src)
		return
	case size == 2:
		done = unshuffleTiles2(dst, src, pitch)
	case size <= 4:
		done = unshuffleTiles4(dst, src, pitch, size)
	case size <= 8:
		done = unshuffleTiles8(dst, src, pitch, size)
	case items >= 8:
		done = items &^ 7
		for j := 0; j < size; j += 8 {
			// the last tiles overlap with previous ones if 8 does not divide size
			first := min(j, size-8)
			unshuffleColumns(dst[first:], src[first*pitch:], pitch, size, done)
		}
	}

	for i := done; i < items; i++ {
		for j := range size {
			dst[i*size+j] = src[j*pitch+i]
		}
	}
}

// unshuffleColumns restores the first 8 bytes of each of the given number of items, a multiple of
// 8.
func unshuffleColumns(dst, src []byte, pitch, size, items int) {
	le := binary.LittleEndian
	for i := 0; i < items; i += 8 {
		s := src[i:]
		a, b, c, d, e, f, g, h := transposeBytes(
			le.Uint64(s), le.Uint64(s[pitch:]), le.Uint64(s[2*pitch:]), le.Uint64(s[3*pitch:]),
			le.Uint64(s[4*pitch:]), le.Uint64(s[5*pitch:]), le.Uint64(s[6*pitch:]), le.Uint64(s[7*pitch:]))
		putWords(dst[i*size:], size, a, b, c, d, e, f, g, h)
	}
}

// unshuffleTiles8 restores items of 5 to 8 bytes and returns the number of items processed. It
// writes 8 bytes per item in order; the next item overwrites the excess. It stops where these would
// extend beyond dst.
func unshuffleTiles8(dst, src []byte, pitch, size int) int {
	le := binary.LittleEndian
	i := 0
	for ; i*size+7*size+8 <= len(dst); i += 8 {
		s := src[i:]
		a := le.Uint64(s)
		b := le.Uint64(s[pitch:])
		c := le.Uint64(s[2*pitch:])
		d := le.Uint64(s[3*pitch:])
		e := le.Uint64(s[4*pitch:])

		var f, g, h uint64
		if size > 5 {
			f = le.Uint64(s[5*pitch:])
		}
		if size > 6 {
			g = le.Uint64(s[6*pitch:])
		}
		if size > 7 {
			h = le.Uint64(s[7*pitch:])
		}

		a, b, c, d, e, f, g, h = transposeBytes(a, b, c, d, e, f, g, h)
		putWords(dst[i*size:], size, a, b, c, d, e, f, g, h)
	}
	return i
}

// putWords writes eight words at intervals of step bytes.
func putWords(dst []byte, step int, a, b, c, d, e, f, g, h uint64) {
	le := binary.LittleEndian
	le.PutUint64(dst, a)
	le.PutUint64(dst[step:], b)
	le.PutUint64(dst[2*step:], c)
	le.PutUint64(dst[3*step:], d)
	le.PutUint64(dst[4*step:], e)
	le.PutUint64(dst[5*step:], f)
	le.PutUint64(dst[6*step:], g)
	le.PutUint64(dst[7*step:], h)
}

// unshuffleTiles4 is unshuffleTiles8 for items of 3 and 4 bytes.
func unshuffleTiles4(dst, src []byte, pitch, size int) int {
	le := binary.LittleEndian
	i := 0
	for ; i*size+7*size+4 <= len(dst); i += 8 {
		s := src[i:]
		a := le.Uint64(s)
		b := le.Uint64(s[pitch:])
		c := le.Uint64(s[2*pitch:])
		d := uint64(0)
		if size > 3 {
			d = le.Uint64(s[3*pitch:])
		}

		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)

		t := dst[i*size:]
		le.PutUint32(t, uint32(a))
		le.PutUint32(t[size:], uint32(b))
		le.PutUint32(t[2*size:], uint32(c))
		le.PutUint32(t[3*size:], uint32(d))
		le.PutUint32(t[4*size:], uint32(a>>32))
		le.PutUint32(t[5*size:], uint32(b>>32))
		le.PutUint32(t[6*size:], uint32(c>>32))
		le.PutUint32(t[7*size:], uint32(d>>32))
	}
	return i
}

// unshuffleTiles2 restores items of 2 bytes and returns the number of items processed.
func unshuffleTiles2(dst, src []byte, pitch int) int {
	le := binary.LittleEndian
	i := 0
	for ; 2*i+16 <= len(dst); i += 8 {
		a := le.Uint64(src[i:])
		b := le.Uint64(src[pitch+i:])

		t := dst[2*i:]
		le.PutUint64(t, spreadEven(a)|spreadEven(b)<<8)
		le.PutUint64(t[8:], spreadEven(a>>32)|spreadEven(b>>32)<<8)
	}
	return i
}
