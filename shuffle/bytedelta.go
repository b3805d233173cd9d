package shuffle

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/bytedelta"
)

// deltaStreams returns how many streams of equal length bytedelta takes a block for: meant are the
// planes of a shuffle before it (format: filters, bytedelta).
func deltaStreams(meta uint8, ctx *Context) int {
	switch {
	case meta != 0:
		return int(meta)
	case ctx.FrameTypeSize > 0:
		return ctx.FrameTypeSize
	}
	return ctx.TypeSize
}

// vectorRun is what writers of bytedelta_buggy did at once. They forgot about the bytes before when
// they came to the rest.
const vectorRun = 16

// deltaPieces calls f for each piece of a block that starts over, and copies what is behind the
// last stream.
func deltaPieces(dst, src []byte, streams int, restarts bool, f func(dst, src []byte)) {
	length := len(src) / streams
	if length == 0 { // a file may state items of 2 GiB: there are no pieces to look for then
		copy(dst, src)
		return
	}
	whole := length
	if restarts {
		whole -= length % vectorRun
	}
	for k := range streams {
		d, s := dst[k*length:(k+1)*length], src[k*length:(k+1)*length]
		f(d[:whole], s[:whole])
		f(d[whole:], s[whole:])
	}
	copy(dst[streams*length:], src[streams*length:])
}

// byteDelta returns what does f to every stream: bytes become their differences from those before
// them, or the other way around.
func byteDelta(restarts bool, f func(dst, src []byte)) func(dst, src []byte, meta uint8, ctx *Context) error {
	return func(dst, src []byte, meta uint8, ctx *Context) error {
		deltaPieces(dst, src, deltaStreams(meta, ctx), restarts, f)
		return nil
	}
}

const (
	highBits  = 0x8080808080808080
	everyWord = 0x0001000100010001
)

// byteDifferences sets each byte of dst to that of src less the one before it, the first less 0.
func byteDifferences(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	i := bytedelta.Differences(dst, src)
	if i == 0 {
		dst[0] = src[0]
		i = 1
	}
	i += byteDifferencesEights(dst[i-1:], src[i-1:])
	for ; i < len(src); i++ {
		dst[i] = src[i] - src[i-1]
	}
}

// byteDifferencesEights is byteDifferences in plain Go from byte 1 on, for whole groups of eight
// bytes. It returns how many it did.
func byteDifferencesEights(dst, src []byte) int {
	le := binary.LittleEndian
	done := (len(src) - 1) &^ 7
	for len(src) >= 9 && len(dst) >= 9 {
		a, b := le.Uint64(src[1:9]), le.Uint64(src[0:8])
		// Subtracts bytes that cannot borrow from each other, then puts the highest bits right.
		le.PutUint64(dst[1:9], (a|highBits)-b&^highBits^(a^^b)&highBits)
		dst, src = dst[8:], src[8:]
	}
	return done
}

// byteSums undoes byteDifferences.
func byteSums(dst, src []byte) {
	i := bytedelta.Sums(dst, src)
	var sum byte
	if i > 0 {
		sum = dst[i-1]
	}
	i += byteSumsEights(dst[i:], src[i:], sum)
	if i > 0 {
		sum = dst[i-1]
	}
	for ; i < len(src); i++ {
		sum += src[i]
		dst[i] = sum
	}
}

// byteSumsEights is byteSums in plain Go for whole groups of eight bytes, after bytes whose sum is
// given. It returns how many it did. Bytes of even and of odd places are summed apart, in words of
// 16 bits that have room for it, by a multiplication each.
func byteSumsEights(dst, src []byte, sum byte) int {
	le := binary.LittleEndian
	before := uint64(sum) * everyWord
	done := len(src) &^ 7
	for len(src) >= 8 && len(dst) >= 8 {
		x := le.Uint64(src)
		even, odd := x&evenBytes*everyWord, x>>8&evenBytes*everyWord
		all := even + odd
		le.PutUint64(dst, (even+odd<<16+before)&evenBytes|(all+before)&evenBytes<<8)
		before = (before + all>>48*everyWord) & evenBytes
		dst, src = dst[8:], src[8:]
	}
	return done
}
