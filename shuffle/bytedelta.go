package shuffle

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/bytedelta"
)

// deltaStreams returns the number of streams of equal length into which bytedelta divides a block,
// which should be the planes of a preceding shuffle (format: filters, bytedelta).
func deltaStreams(meta uint8, ctx *Context) int {
	switch {
	case meta != 0:
		return int(meta)
	case ctx.FrameTypeSize > 0:
		return ctx.FrameTypeSize
	}
	return ctx.TypeSize
}

// vectorRun is the vector size of the writers of bytedelta_buggy. They did not carry the last byte
// from the vectors to the rest.
const vectorRun = 16

// deltaPieces calls f for each piece of a block with independent differences, and copies the bytes
// after the last stream.
func deltaPieces(dst, src []byte, streams int, restarts bool, f func(dst, src []byte)) {
	length := len(src) / streams
	if length == 0 { // a file may state items of 2 GiB, so do not loop over them
		copy(dst, src)
		return
	}

	whole := length
	if restarts {
		whole -= length % vectorRun
	}

	for k := range streams {
		d := dst[k*length : (k+1)*length]
		s := src[k*length : (k+1)*length]
		f(d[:whole], s[:whole])
		f(d[whole:], s[whole:])
	}

	copy(dst[streams*length:], src[streams*length:])
}

// byteDelta returns a filter that applies f to every stream, to compute or to undo differences.
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

// byteDifferences sets each byte of dst to the byte of src minus the previous one; the first is
// copied.
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
// bytes. It returns the number of bytes processed.
func byteDifferencesEights(dst, src []byte) int {
	le := binary.LittleEndian
	done := (len(src) - 1) &^ 7
	for len(src) >= 9 && len(dst) >= 9 {
		a := le.Uint64(src[1:9])
		b := le.Uint64(src[0:8])

		// Subtract bytes without borrowing from each other, then correct the highest bits.
		le.PutUint64(dst[1:9], (a|highBits)-b&^highBits^(a^^b)&highBits)
		dst = dst[8:]
		src = src[8:]
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

// byteSumsEights is byteSums in plain Go for whole groups of eight bytes, after bytes with the
// given sum. It returns the number of bytes processed. Bytes at even and odd positions are summed
// separately, in lanes of 16 bits, with one multiplication each.
func byteSumsEights(dst, src []byte, sum byte) int {
	le := binary.LittleEndian
	before := uint64(sum) * everyWord
	done := len(src) &^ 7
	for len(src) >= 8 && len(dst) >= 8 {
		x := le.Uint64(src)

		even := x & evenBytes * everyWord
		odd := x >> 8 & evenBytes * everyWord
		all := even + odd
		le.PutUint64(dst, (even+odd<<16+before)&evenBytes|(all+before)&evenBytes<<8)
		before = (before + all>>48*everyWord) & evenBytes
		dst = dst[8:]
		src = src[8:]
	}
	return done
}
