package filter

import (
	"encoding/binary"
	"math"

	"github.com/cairn-go/cairn/codecs"
)

// Zstandard (filter 32015) makes a frame (RFC 8878) of a chunk. Its parameter is the level.

func zstdDecode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	return codecDecode(w, codecs.Zstd, f, dst, src)
}

func zstdEncode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	return codecEncode(w, codecs.Zstd, zstdLevel(f.param(0)), dst, src)
}

// zstdLevel returns the level of ours, of 9, for one of Zstandard's, of 22.
func zstdLevel(level int64) int {
	if int32(level) <= 0 {
		return 2
	}
	return int(min(level+1, 18)) / 2
}

// The head of a Zstandard frame (RFC 8878, section 3.1.1).
const (
	zstdMagic  = 0xfd2fb528
	zstdSingle = 1 << 5 // in the descriptor: there is no window byte
)

// zstdSize returns the decoded size that the frame states.
func zstdSize(f Filter, src []byte, _ int) (int, error) {
	if len(src) < 5 || binary.LittleEndian.Uint32(src) != zstdMagic {
		return 0, corrupt(f.ID, "not a frame")
	}
	descriptor := src[4]
	at := 5 + (1<<(descriptor&3))>>1 // the number of the dictionary takes 0, 1, 2 or 4 bytes
	if descriptor&zstdSingle == 0 {
		at++
	}
	n := 1 << (descriptor >> 6)
	if n == 1 && descriptor&zstdSingle == 0 {
		return 0, unsupported(f, "without the size in the frame, behind another compressor, cannot be decoded")
	}
	if len(src) < at+n {
		return 0, corrupt(f.ID, "the frame ends in its head")
	}
	var field [8]byte
	copy(field[:], src[at:at+n])
	size := binary.LittleEndian.Uint64(field[:])
	if n == 2 {
		size += 256
	}
	return int(min(size, math.MaxInt32)), nil
}
