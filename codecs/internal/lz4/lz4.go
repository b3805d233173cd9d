// Package lz4 encodes and decodes raw LZ4 blocks: no frame, no checksum, no length.
//
// A block is a list of sequences. All but the last are
//
//	token      llllmmmm
//	literals   [255 … 255 r] ‹literals›   l of them; l = 15 adds the bytes before them,
//	                                      up to the first that is not 255
//	match      oooooooo oooooooo          distance, low byte first, 1 to 65535
//	           [255 … 255 r]              m+4 bytes; m = 15 adds these
//
// The last one ends after its literals. Encoders leave the last 5 bytes as literals and start no
// match in the last 12, on which other decoders rely. [Decode] does not.
//
// [Encoder] achieves about the ratio of liblz4's fast mode, [HCEncoder] that of a deeper search.
package lz4

import (
	"encoding/binary"

	cairn "github.com/cairn-go/cairn"
)

const (
	minMatch    = 4
	maxDistance = 1<<16 - 1
	endLiterals = 5          // minimum number of literals at the end of the source
	endMatch    = 12         // minimum distance of a match's start from the end
	maxSource   = 0x7e000000 // longer sources are not encoded, as in liblz4
	nibbleMax   = 15         // length field if length bytes follow
)

// Bound returns the maximum size of an encoded block of n bytes.
func Bound(n int) int { return n + n/255 + 16 }

// corrupt returns an error about the sequence at the given offset of the stream.
func corrupt(at int, reason string) error {
	return cairn.Corruptf("codec stream", -1, "lz4: %s in the sequence at byte %d of the stream", reason, at)
}

// extension returns the number of length bytes of a length.
func extension(n int) int {
	if n < nibbleMax {
		return 0
	}
	return (n-nibbleMax)/255 + 1
}

// putLength writes the length bytes of a length and returns the next offset.
func putLength(dst []byte, out, n int) int {
	for n -= nibbleMax; n >= 255; n -= 255 {
		dst[out] = 255
		out++
	}
	dst[out] = byte(n)
	return out + 1
}

// putLiterals writes literals with their length bytes, and returns the next offset. The caller
// ensures that they fit.
func putLiterals(dst []byte, out int, lits []byte) int {
	if len(lits) >= nibbleMax {
		out = putLength(dst, out, len(lits))
	}
	return out + copy(dst[out:], lits)
}

// putSequence writes a sequence to dst[out:] and returns the next offset, or -1 if it does not fit.
func putSequence(dst []byte, out int, lits []byte, distance, length int) int {
	length -= minMatch
	if n := len(lits); n < nibbleMax && length < nibbleMax && cap(lits) >= 16 && len(dst)-out >= 20 {
		// The common case: copying a fixed number of bytes is fastest, and the excess is
		// overwritten.
		dst[out] = byte(n<<4 | length)
		*(*[16]byte)(dst[out+1:]) = *(*[16]byte)(lits[:16])
		binary.LittleEndian.PutUint16(dst[out+1+n:], uint16(distance))
		return out + 3 + n
	}

	if len(dst)-out < 3+len(lits)+extension(len(lits))+extension(length) {
		return -1
	}

	dst[out] = byte(min(len(lits), nibbleMax)<<4 | min(length, nibbleMax))
	out = putLiterals(dst, out+1, lits)
	binary.LittleEndian.PutUint16(dst[out:], uint16(distance))
	out += 2
	if length >= nibbleMax {
		out = putLength(dst, out, length)
	}
	return out
}

// putEnd writes the last sequence and returns the length of the whole stream, or 0 if it does not
// fit.
func putEnd(dst []byte, out int, lits []byte) int {
	if len(dst)-out < 1+len(lits)+extension(len(lits)) {
		return 0
	}
	dst[out] = byte(min(len(lits), nibbleMax) << 4)
	return putLiterals(dst, out+1, lits)
}
