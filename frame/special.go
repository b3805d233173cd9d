package frame

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
)

// appendStoredSpecial appends a stored chunk with the same items as a special entry, valid in any
// frame. C-Blosc2 rejects stored special chunks of 32 bytes of these kinds. Zeros therefore become
// a chunk with data whose streams are all empty, which encodes a run of zeros, and NaNs become a
// repeated value.
func appendStoredSpecial(dst []byte, kind chunk.Special, nbytes, typeSize int) ([]byte, error) {
	if kind == chunk.SpecialNaN {
		return appendStoredNaN(dst, nbytes, typeSize, typeSize)
	}
	return appendZeroRuns(dst, nbytes, typeSize), nil
}

// appendStoredNaN appends a chunk of NaNs of size 4 or 8 for a frame with items of typeSize bytes.
// If possible, the repeated value has typeSize bytes: C-Blosc2 reads single items by the frame's
// type size.
func appendStoredNaN(dst []byte, nbytes, size, typeSize int) ([]byte, error) {
	var nan []byte
	switch size {
	case 4:
		nan = binary.LittleEndian.AppendUint32(nil, 0x7fc0_0000)
	case 8:
		nan = binary.LittleEndian.AppendUint64(nil, 0x7ff8_0000_0000_0000)
	default:
		return nil, cairn.Corruptf("index entry", -1, "NaN of %d bytes", size)
	}
	if typeSize%size == 0 && nbytes%typeSize == 0 {
		nan = bytes.Repeat(nan, typeSize/size)
	}
	return chunk.AppendSpecial(dst, chunk.SpecialValue, nan, nbytes, typeSize, 0)
}

// appendZeroRuns appends a chunk with data that decodes to nbytes zeros. It has 8 bytes per block
// after the header.
func appendZeroRuns(dst []byte, nbytes, typeSize int) []byte {
	if typeSize > 255 {
		typeSize = 1
	}
	blockSize := min(nbytes, chunk.MaxBlockSize)
	if blockSize > typeSize {
		blockSize -= blockSize % typeSize
	}

	blocks := (nbytes-1)/blockSize + 1
	size := chunk.HeaderSize + 8*blocks
	h := chunk.Header{
		Version: 5, VersionLZ: 1, Flags: zeroRunFlags, TypeSize: uint8(typeSize), Codec: codecs.BloscLZ,
		NBytes: int32(nbytes), BlockSize: int32(blockSize), CBytes: int32(size),
	}

	dst = h.Append(slices.Grow(dst, size))
	streams := chunk.HeaderSize + 4*blocks
	for i := range blocks {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(streams+4*i))
	}
	return append(dst, make([]byte, 4*blocks)...)
}

// zeroRunFlags are the flags of a chunk with an extended header, unsplit blocks and BloscLZ.
const zeroRunFlags = 0x15
