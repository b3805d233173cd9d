package chunk

import (
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// Sizes and bounds of the format.
const (
	minHeaderSize = 16          // bytes of a Blosc1 header
	HeaderSize    = 32          // bytes of an extended header
	MaxSize       = 1<<31 - 33  // largest decoded size of a chunk
	MaxBlockSize  = 536_866_816 // largest block size
	// largest item size in a frame; a chunk header can state at most 255
	MaxTypeSize = 536_866_816
)

// Format versions of a chunk.
const (
	versionFirst  = 1 // Blosc before 0.9.1
	versionBlosc1 = 2
	versionAlpha  = 3 // five filter slots; the sixth is garbage
	versionBeta   = 4
	versionStable = 5
	versionVL     = 6 // the newest known version
)

const layerChunk = "chunk"

// Header is the fixed part of a chunk. See the package comment for its bytes.
type Header struct {
	Version   uint8
	VersionLZ uint8
	Flags     uint8 // see the package comment for this one and the next two
	TypeSize  uint8
	NBytes    int32 // decoded size
	BlockSize int32 // as stored; Layout returns the effective block size
	CBytes    int32 // encoded size, header included

	Pipeline   shuffle.Pipeline
	Codec      codecs.Codec // from the flags, or from the codec byte if the flags refer to it
	Flags2     uint8
	BloscFlags uint8
}

// ParseHeader parses a chunk header and checks that it is consistent. It needs the header's 16 or
// 32 bytes only, and does not check that CBytes bytes exist.
func ParseHeader(b []byte) (Header, error) {
	var h Header
	if len(b) < minHeaderSize {
		return h, cairn.Corruptf(layerChunk, 0, "%d bytes are too few for a header", len(b))
	}

	h.Version = b[0]
	h.VersionLZ = b[1]
	h.Flags = b[2]
	h.TypeSize = b[3]
	h.NBytes = int32(binary.LittleEndian.Uint32(b[4:]))
	h.BlockSize = int32(binary.LittleEndian.Uint32(b[8:]))
	h.CBytes = int32(binary.LittleEndian.Uint32(b[12:]))

	if headerFlags(h.Flags).extended() {
		if len(b) < HeaderSize {
			return h, cairn.Corruptf(layerChunk, 0, "%d bytes are too few for an extended header", len(b))
		}
		h.parseExtended(b)
	} else {
		h.derivePipeline()
		h.Codec = codecs.ByID(codecOfWire[headerFlags(h.Flags).wireCode()], 0)
	}
	return h, h.check()
}

func (h *Header) parseExtended(b []byte) {
	for i := range h.Pipeline {
		h.Pipeline[i] = shuffle.Spec{ID: shuffle.ID(b[0x10+i]), Meta: b[0x18+i]}
	}
	if h.Version == versionAlpha {
		h.Pipeline[shuffle.Slots-1] = shuffle.None
	}

	h.Flags2 = b[0x1e]
	h.BloscFlags = b[0x1f]

	id := b[0x16]
	// Writers always set the codec byte, but the flags take precedence unless they refer to it. A
	// chunk that was memcpyed from the start has no codec in its flags, so its codec byte is used.
	if wire := headerFlags(h.Flags).wireCode(); wire != wireInCodecByte &&
		!headerFlags(h.Flags).memcpyed() && bloscFlags(h.BloscFlags).special() == SpecialNone {
		if wireOfCodec[id] != wire {
			id = codecOfWire[wire]
		}
	}
	h.Codec = codecs.ByID(id, b[0x17])
}

// derivePipeline fills the slots that a 16-byte header implies.
func (h *Header) derivePipeline() {
	if h.Flags&flagShuffle != 0 {
		h.Pipeline[shuffle.Slots-1] = shuffle.Byte
	}
	if h.Flags&flagBitshuffle != 0 {
		h.Pipeline[shuffle.Slots-1] = shuffle.Bit
	}
	if h.Flags&flagDelta != 0 {
		h.Pipeline[shuffle.Slots-2] = shuffle.Delta
	}
}

func (h *Header) check() error {
	size := int32(h.Size())
	switch {
	case h.TypeSize == 0:
		return cairn.Corruptf(layerChunk, 3, "typesize is 0")
	case h.NBytes < 0 || h.NBytes > MaxSize:
		return cairn.Corruptf(layerChunk, 4, "decoded size %d is not in 0 to %d", h.NBytes, MaxSize)
	case h.BlockSize <= 0 || h.BlockSize > MaxBlockSize:
		return cairn.Corruptf(layerChunk, 8, "block size %d is not in 1 to %d", h.BlockSize, MaxBlockSize)
	case h.CBytes < size:
		return cairn.Corruptf(layerChunk, 12, "encoded size %d is less than the header's %d bytes", h.CBytes, size)
	case h.Version > versionVL && h.Flags2&^flag2VLBlocks != 0:
		return cairn.Corruptf(layerChunk, 0,
			"version %d with flags %#02x is from a future that is not known here", h.Version, h.Flags2)
	case h.BloscFlags&bloscFlagLazy != 0:
		return cairn.Corruptf(layerChunk, 0x1f, "marked as lazy, which no stored chunk can be")
	case flags2(h.Flags2).vlBlocks() && headerFlags(h.Flags).memcpyed():
		return cairn.Corruptf(layerChunk, 2, "blocks of variable length in a memcpyed chunk")
	}

	return h.checkSpecial()
}

func (h *Header) checkSpecial() error {
	s := bloscFlags(h.BloscFlags).special()
	switch {
	case s == SpecialNone:
		return nil
	case !s.valid():
		return cairn.Corruptf(layerChunk, 0x1f, "special value %d does not exist", uint8(s))
	case flags2(h.Flags2).vlBlocks():
		return cairn.Corruptf(layerChunk, 0x1f, "special value in a chunk with blocks of variable length")
	case s == SpecialValue:
		if width := h.CBytes - HeaderSize; width <= 0 || width > h.NBytes || h.NBytes%width != 0 {
			return cairn.Corruptf(layerChunk, 12, "a repeated value of %d bytes does not fill %d bytes", width, h.NBytes)
		}
	case s == SpecialNaN && h.NBytes > 0 && h.TypeSize != 4 && h.TypeSize != 8:
		return cairn.Corruptf(layerChunk, 3, "NaN of typesize %d does not exist", h.TypeSize)
	case s != SpecialZeros && h.NBytes%int32(h.TypeSize) != 0:
		return cairn.Corruptf(layerChunk, 4, "%d bytes are not a whole number of items of %d", h.NBytes, h.TypeSize)
	}
	return nil
}

// Append appends the header's 16 or 32 bytes to dst.
func (h Header) Append(dst []byte) []byte {
	dst = append(dst, h.Version, h.VersionLZ, h.Flags, h.TypeSize)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.NBytes))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.BlockSize))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.CBytes))

	if !headerFlags(h.Flags).extended() {
		return dst
	}
	for _, s := range h.Pipeline {
		dst = append(dst, byte(s.ID))
	}

	dst = append(dst, h.Codec.ID(), h.Codec.Parameter())
	for _, s := range h.Pipeline {
		dst = append(dst, s.Meta)
	}
	return append(dst, h.Flags2, h.BloscFlags)
}

// Size returns the size of the header in bytes: 16 or 32.
func (h Header) Size() int {
	if headerFlags(h.Flags).extended() {
		return HeaderSize
	}
	return minHeaderSize
}

// Special returns the special value of the chunk, or SpecialNone for a chunk with data.
func (h Header) Special() Special { return bloscFlags(h.BloscFlags).special() }

// Memcpyed reports whether the payload is stored uncompressed.
func (h Header) Memcpyed() bool { return headerFlags(h.Flags).memcpyed() && h.Special() == SpecialNone }

// VLBlocks reports whether blocks have variable length.
func (h Header) VLBlocks() bool { return flags2(h.Flags2).vlBlocks() }

// HasDict reports whether the chunk contains a dictionary. The flag is ignored in a memcpyed chunk,
// where C-Blosc2 sets it by mistake.
func (h Header) HasDict() bool {
	return bloscFlags(h.BloscFlags).dict() && !headerFlags(h.Flags).memcpyed()
}

// wireOfCodec and codecOfWire map between the id and the wire code of a codec, from the codec
// table. LZ4 and LZ4HC share a stream format and so a code. Unassigned ids and codes map to
// unassigned ones.
var wireOfCodec, codecOfWire = wireCodes()

func wireCodes() (wires [256]uint8, ids [8]uint8) {
	for i := range wires {
		wires[i] = wireInCodecByte
	}
	for wire := range ids {
		ids[wire] = uint8(wire + 1)
	}

	for _, row := range slices.Backward(codecs.Rows()) {
		wires[row.ID] = row.WireCode
		if row.WireCode != wireInCodecByte {
			ids[row.WireCode] = row.ID
		}
	}
	return wires, ids
}
