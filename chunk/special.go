package chunk

import (
	"encoding/binary"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/slab"
)

// The quiet NaNs that fill a NaN chunk.
const (
	nan32 = 0x7fc0_0000
	nan64 = 0x7ff8_0000_0000_0000
)

// AppendSpecial appends to dst a chunk of nbytes whose items are all equal. It takes 32 bytes, plus
// len(value) for SpecialValue. value is the item for SpecialValue, and nil otherwise. A blockSize
// of 0 means a single block.
func AppendSpecial(dst []byte, kind Special, value []byte, nbytes, typeSize, blockSize int) ([]byte, error) {
	switch {
	case kind == SpecialNone || !kind.valid():
		return dst, fmt.Errorf("special chunk: %v is not a special value", kind)
	case nbytes < 0 || nbytes > MaxSize:
		return dst, fmt.Errorf("special chunk: %d bytes: %w: a chunk holds at most %d", nbytes, cairn.ErrBounds, MaxSize)
	case typeSize < 1 || typeSize > MaxTypeSize:
		return dst, fmt.Errorf("special chunk: typesize %d is not in 1 to %d", typeSize, MaxTypeSize)
	case (kind == SpecialValue) != (value != nil):
		return dst, fmt.Errorf("special chunk: %v with a value of %d bytes", kind, len(value))
	case kind == SpecialValue && (len(value) == 0 || nbytes%len(value) != 0 || nbytes == 0):
		return dst, fmt.Errorf("special chunk: a value of %d bytes does not fill %d bytes", len(value), nbytes)
	case kind == SpecialNaN && typeSize != 4 && typeSize != 8:
		return dst, fmt.Errorf("special chunk: NaN of typesize %d does not exist", typeSize)
	case (kind == SpecialNaN || kind == SpecialUninit) && nbytes%typeSize != 0:
		return dst, fmt.Errorf("special chunk: %d bytes are not a whole number of items of %d", nbytes, typeSize)
	}

	if blockSize <= 0 || blockSize > nbytes {
		blockSize = max(1, nbytes)
	}
	blockSize = min(blockSize, MaxBlockSize)
	return appendSpecial(dst, kind, value, newLayout(nbytes, blockSize), chunkTypeSize(typeSize)), nil
}

func appendSpecial(dst []byte, kind Special, value []byte, l Layout, typeSize int) []byte {
	h := Header{
		Version: versionStable, VersionLZ: 1, Flags: flagsExtended, TypeSize: uint8(typeSize),
		NBytes: int32(l.NBytes), BlockSize: int32(l.BlockSize), CBytes: int32(HeaderSize + len(value)),
		Codec: codecs.ByID(0, 0), BloscFlags: uint8(kind) << specialShift,
	}
	return append(h.Append(dst), value...)
}

// constantKind returns the special value for a chunk whose items are all value.
func constantKind(value []byte) Special {
	switch {
	case equalBytes(value, 0):
		return SpecialZeros
	case len(value) == 4 && binary.LittleEndian.Uint32(value) == nan32,
		len(value) == 8 && binary.LittleEndian.Uint64(value) == nan64:
		return SpecialNaN
	}
	return SpecialValue
}

// SpecialItem returns the repeated item of a special chunk, reusing buf if its capacity suffices.
// For zeros and uninit it is all zeros. src is the whole chunk; the result does not alias it.
func SpecialItem(buf, src []byte) ([]byte, error) {
	h, err := ParseHeader(src)
	if err != nil {
		return nil, err
	}
	switch h.Special() {
	case SpecialValue:
		if int64(len(src)) < int64(h.CBytes) {
			return nil, shortChunk(&h, src)
		}
		return append(buf[:0], src[HeaderSize:h.CBytes]...), nil
	case SpecialNaN:
		if h.TypeSize == 4 {
			return binary.LittleEndian.AppendUint32(buf[:0], nan32), nil
		}
		return binary.LittleEndian.AppendUint64(buf[:0], nan64), nil
	case SpecialNone:
		return nil, fmt.Errorf("special item: the chunk holds data: %w", cairn.ErrType)
	}

	buf = slab.Resize(buf, int(h.TypeSize))
	clear(buf)
	return buf, nil
}
