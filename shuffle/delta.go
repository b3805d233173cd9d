package shuffle

import (
	"crypto/subtle"
	"encoding/binary"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/xor"
)

// deltaWord returns the width of delta's words (format: filters, delta).
func deltaWord(typeSize int) int {
	switch {
	case typeSize == 2 || typeSize == 4:
		return typeSize
	case typeSize%8 == 0:
		return 8
	}
	return 1
}

// deltaForward replaces block 0 by the differences (xor) of neighbouring words, and any other block
// by the differences from block 0. The bytes after the last whole word are copied.
func deltaForward(dst, src []byte, _ uint8, ctx *Context) error {
	word := deltaWord(ctx.TypeSize)
	end := len(src) - len(src)%word
	if ctx.Ref != nil {
		return deltaFromRef(dst, src, end, ctx.Ref)
	}

	head := min(word, end)
	copy(dst, src[:head])
	xorBytes(dst[head:end], src[head:end], src[:end-head])
	copy(dst[end:], src[end:])
	return nil
}

// deltaBackward undoes deltaForward: by a running xor for block 0, and by the same xor again for
// any other block.
func deltaBackward(dst, src []byte, _ uint8, ctx *Context) error {
	word := deltaWord(ctx.TypeSize)
	end := len(src) - len(src)%word
	if ctx.Ref != nil {
		return deltaFromRef(dst, src, end, ctx.Ref)
	}
	runningXor(dst[:end], src[:end], word)
	copy(dst[end:], src[end:])
	return nil
}

func deltaFromRef(dst, src []byte, end int, ref []byte) error {
	if len(ref) < end {
		return cairn.Corruptf("block", -1, "delta of %d bytes refers to a block 0 of %d", end, len(ref))
	}
	xorBytes(dst[:end], src[:end], ref[:end])
	copy(dst[end:], src[end:])
	return nil
}

// xorBytes sets dst to the xor of a and b, which must have the same length.
func xorBytes(dst, a, b []byte) {
	n := xor.Both(dst, a, b)
	subtle.XORBytes(dst[n:], a[n:], b[n:])
}

// runningXor sets each word of dst to the xor of all words of src up to it. Both must have the same
// length.
func runningXor(dst, src []byte, word int) {
	i := xor.Running(dst, src, word)
	if i == 0 {
		i = runningXorEights(dst, src, word)
	}
	for ; i < len(src); i++ {
		dst[i] = src[i]
		if i >= word {
			dst[i] ^= dst[i-word]
		}
	}
}

// runningXorEights is runningXor in plain Go and returns the number of bytes processed. It
// processes eight bytes at a time: shifts by doubling distances combine the words within them, and
// the last word is carried to every word of the next eight bytes.
func runningXorEights(dst, src []byte, word int) int {
	var carry uint64
	i := 0

	switch word {
	case 8:
		for ; i+8 <= len(src); i += 8 {
			carry ^= binary.LittleEndian.Uint64(src[i:])
			binary.LittleEndian.PutUint64(dst[i:], carry)
		}
	case 4:
		for ; i+8 <= len(src); i += 8 {
			x := binary.LittleEndian.Uint64(src[i:])
			x ^= x<<32 ^ carry
			binary.LittleEndian.PutUint64(dst[i:], x)
			carry = x>>32 | x&^0xffffffff
		}
	case 2:
		for ; i+8 <= len(src); i += 8 {
			x := binary.LittleEndian.Uint64(src[i:])
			x ^= x << 16
			x ^= x<<32 ^ carry
			binary.LittleEndian.PutUint64(dst[i:], x)
			carry = x >> 48 * 0x0001000100010001
		}
	default:
		for ; i+8 <= len(src); i += 8 {
			x := binary.LittleEndian.Uint64(src[i:])
			x ^= x << 8
			x ^= x << 16
			x ^= x<<32 ^ carry
			binary.LittleEndian.PutUint64(dst[i:], x)
			carry = x >> 56 * 0x0101010101010101
		}
	}
	return i
}
