package inflate

import "encoding/binary"

// The runtime copies matches of at least longCopy bytes, with wider units.
const longCopy = 64

// steps contains, for a pattern of 1 to 7 bytes written 8 bytes long, the number of bytes to
// advance: the longest multiple of the pattern in 8 bytes.
var steps = [8]uint8{0, 8, 8, 6, 8, 5, 6, 7}

// copyMatch copies length bytes from back bytes before dst[n] to dst[n:]. dst must have copySlack
// more bytes behind them.
func copyMatch(dst []byte, n, back, length int) {
	from := n - back
	end := n + length

	if back >= 16 {
		if length >= longCopy && back >= length {
			copy(dst[n:end], dst[from:])
			return
		}
		for ; n < end; n, from = n+16, from+16 {
			*(*[16]byte)(dst[n:]) = *(*[16]byte)(dst[from:])
		}
		return
	}

	if back >= 8 {
		for ; n < end; n, from = n+8, from+8 {
			binary.LittleEndian.PutUint64(dst[n:], binary.LittleEndian.Uint64(dst[from:]))
		}
		return
	}

	// The pattern is shorter than a word: repeat it within one.
	word := binary.LittleEndian.Uint64(dst[from:])
	width := uint(back) * 8 & 63
	word &= 1<<width - 1
	for ; width < 64; width *= 2 {
		word |= word << width
	}

	step := int(steps[back&7])
	for ; n < end; n += step {
		binary.LittleEndian.PutUint64(dst[n:], word)
	}
}
