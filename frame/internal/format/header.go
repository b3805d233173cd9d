// Package format encodes and parses the parts of a stored frame except chunks and index: header,
// trailer, footers and commit record, also those of the betas of 2.0.0. It works on bytes in memory
// and trusts none of them.
package format

import (
	"encoding/binary"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// The header, msgpack with every field at a fixed place (docs/format/frame.md), integers
// big-endian:
//
//	00  9e                    array of 14
//	01  a8 "b2frame\0"
//	0a  d2  header_len   i32
//	0f  cf  frame_len    u64
//	18  a4                    four bytes:
//	19      version | 0x10 64-bit offsets | 0x40 variable chunk size | 0x80 variable block size
//	1a      0 contiguous, 1 sparse
//	1b      codec id (6: see 4d) | level << 4
//	1c      split mode
//	1d  d3  nbytes       i64
//	26  d3  cbytes       i64
//	2f  d2  typesize     i32
//	34  d2  blocksize    i32  0 = each chunk chooses
//	39  d2  chunksize    i32  0 = variable, -1 = no chunk yet
//	3e  d1  threads      i16  twice: compression, decompression
//	44  c2 or c3              whether the trailer has metalayers
//	45  d8  06                16 bytes:
//	47      filters      6 x u8
//	4d      codec id
//	4e      codec parameter
//	4f      filter parameters  6 x u8
//	55      bit 0: chunks use dictionaries
//	56         b6 while the commit record is valid (record.go), else 0
//	57  metalayers, see package meta
const (
	Magic = "\xa8b2frame\x00"

	AtHeaderLen = 0x0b
	AtFrameLen  = 0x10
	AtGeneral   = 0x19
	AtFrameType = 0x1a
	AtCodec     = 0x1b
	atSplit     = 0x1c
	AtNBytes    = 0x1e
	AtCBytes    = 0x27
	AtTypeSize  = 0x30
	AtBlockSize = 0x35
	AtChunkSize = 0x3a
	atThreads   = 0x3f
	atHasVL     = 0x44
	AtFilters   = 0x47
	AtWitness   = 0x56
	AtLayers    = 0x57

	FixedHeader  = AtLayers // bytes before the metalayers
	MinFrame     = 112      // length of the shortest frame that C-Blosc2 accepts
	codecInByte  = 6        // value of the nibble that refers to byte 4d
	codecNibbles = 5        // largest codec id that fits into the nibble

	VersionFixed    = 2
	VersionVariable = 3
	offsets64       = 0x10
	flagVariable    = 0x40
	flagVLBlocks    = 0x80

	TypeContiguous = 0
	TypeSparse     = 1

	LayerHeader  = "frame header"
	LayerTrailer = "frame trailer"
)

// MaxChunks is the most entries of an index, which is one chunk.
const MaxChunks = chunk.MaxSize / 8

// Generation is a layout of frame headers.
type Generation uint8

// The generations. Only the current one is written.
const (
	// Current is the layout of all releases since C-Blosc2 2.0.
	Current Generation = iota
	// Beta2 is the layout of 2.0.0-beta.2.
	Beta2
	// Beta1 is the layout of 2.0.0-beta.1, which has no trailer.
	Beta1
	// Beta3 is the layout of 2.0.0-beta.3 to beta.5.
	Beta3
)

// OldBitshuffle reports whether the writers of the generation used the bitshuffle of chunks before
// version 4. beta.3 and beta.4 used it too, but their frames cannot be distinguished from those of
// beta.5.
func (g Generation) OldBitshuffle() bool { return g == Beta1 || g == Beta2 }

// String returns "current", or the first version that wrote the generation, such as "2.0.0-beta.2".
func (g Generation) String() string {
	names := [...]string{"current", "2.0.0-beta.2", "2.0.0-beta.1", "2.0.0-beta.3"}
	if int(g) < len(names) {
		return names[g]
	}
	return fmt.Sprintf("generation %d", uint8(g))
}

// Header is the fixed part of a frame header. Each change of a frame copies it, so its fields are
// ordered for the least padding.
type Header struct {
	LayersAt  int   // offset of the metalayers; 0 if the layout has none
	HeaderLen int64 // bytes
	FrameLen  int64 // bytes
	NBytes    int64
	CBytes    int64
	TypeSize  int32
	BlockSize int32
	ChunkSize int32
	Threads   [2]int16

	Generation Generation
	Version    uint8
	FrameType  uint8
	Split      uint8 // as stored; chunk.SplitMode has another order
	Codec      uint8 // id
	CodecMeta  uint8
	Level      uint8
	Pipeline   shuffle.Pipeline
	Dict       bool
	VLBlocks   bool // as in the flags; readers look at the first chunk instead
	Witness    uint8
}

// IndexAt returns the offset of the index in the frame.
func (h *Header) IndexAt() int64 {
	if h.Sparse() {
		return h.HeaderLen
	}
	return h.HeaderLen + h.CBytes
}

// Sparse reports whether each chunk has its own file.
func (h *Header) Sparse() bool { return h.FrameType == TypeSparse }

// Variable reports whether chunks have individual sizes.
func (h *Header) Variable() bool { return h.ChunkSize == 0 }

// WriteVersion returns the format version for the header.
func (h *Header) WriteVersion() uint8 {
	if h.Variable() || h.VLBlocks {
		return VersionVariable
	}
	return VersionFixed
}

// splitModes are the split modes in the order of their numbers in the header.
var splitModes = [...]chunk.SplitMode{chunk.SplitAlways, chunk.SplitNever, chunk.SplitAuto, chunk.SplitForwardCompat}

// SplitByte returns the number of a split mode in the header.
func SplitByte(m chunk.SplitMode) uint8 {
	for i, mode := range splitModes {
		if mode == m {
			return uint8(i)
		}
	}
	return 0
}

// SplitMode returns the split mode in the header.
func (h *Header) SplitMode() chunk.SplitMode { return splitModes[h.Split&3] }

// ChunkOptions returns the options for encoding new chunks.
func (h *Header) ChunkOptions() chunk.Options {
	level := min(int(h.Level), 9) // the header has room for more
	if level == 0 {
		level = chunk.Stored
	}
	filters := h.Pipeline // all six slots, so that each filter keeps its slot
	row, err := (*codecs.Registry)(nil).Lookup(h.Codec)
	return chunk.Options{
		Dict:     h.Dict && err == nil && row.Dict, // C-Blosc2 allows the flag with any codec
		TypeSize: int(h.TypeSize), Codec: codecs.ByID(h.Codec, h.CodecMeta), Level: level,
		Filters: filters[:], Split: h.SplitMode(), BlockSize: int(h.BlockSize),
	}
}

// Inherit copies the encoding of chunks from another header.
func (h *Header) Inherit(from *Header) {
	h.Split = from.Split
	h.Codec = from.Codec
	h.CodecMeta = from.CodecMeta
	h.Level = from.Level
	h.Pipeline = from.Pipeline
	h.Dict = from.Dict
	h.BlockSize = from.BlockSize
}

// Append appends the header with metalayers to dst. It computes the length of the header; the other
// fields are written as they are.
func (h *Header) Append(dst []byte, layers []meta.Layer, hasVL bool) []byte {
	start := len(dst)
	dst = append(append(dst, wire.TagFixArray|14), Magic...)
	dst = wire.AppendInt32(dst, int32(HeaderSize(layers)))
	dst = binary.BigEndian.AppendUint64(append(dst, wire.TagUint64), uint64(h.FrameLen))

	general := h.WriteVersion() | offsets64
	codec := h.Codec
	if h.Variable() {
		general |= flagVariable
	}
	if h.VLBlocks {
		general |= flagVLBlocks
	}
	if codec > codecNibbles {
		codec = codecInByte
	}

	dst = append(dst, wire.TagFixStr|4, general, h.FrameType, codec|h.Level<<4, h.Split)
	dst = wire.AppendInt64(dst, h.NBytes)
	dst = wire.AppendInt64(dst, h.CBytes)
	dst = wire.AppendInt32(dst, h.TypeSize)
	dst = wire.AppendInt32(dst, h.BlockSize)
	dst = wire.AppendInt32(dst, h.ChunkSize)
	dst = wire.AppendInt16(dst, h.Threads[0])
	dst = wire.AppendInt16(dst, h.Threads[1])

	tag := uint8(wire.TagFalse)
	flags2 := uint8(0)
	if hasVL {
		tag = wire.TagTrue
	}
	if h.Dict {
		flags2 = 1
	}
	dst = append(dst, tag, wire.TagFixExt16, shuffle.Slots)
	for _, s := range h.Pipeline {
		dst = append(dst, uint8(s.ID))
	}

	dst = append(dst, h.Codec, h.CodecMeta)
	for _, s := range h.Pipeline {
		dst = append(dst, s.Meta)
	}
	dst = append(dst, flags2, h.Witness)
	return metalist.AppendHeader(dst, int64(len(dst)-start), layers)
}

// HeaderSize returns the length of a header with the given metalayers.
func HeaderSize(layers []meta.Layer) int64 { return FixedHeader + metalist.Size(layers) }

// ParseHeader parses the fixed part of a header from b, the beginning of a frame, and checks
// everything that does not depend on the rest of the frame. size is the most bytes that the frame
// can have. b must contain the whole fixed part unless the frame is shorter.
func ParseHeader(b []byte, size int64) (Header, error) {
	var h Header
	if len(b) < beta1Fixed || size < beta1Fixed {
		return h, cairn.Corruptf(LayerHeader, 0, "%d bytes are too few for a frame", min(size, int64(len(b))))
	}
	if string(b[1:1+len(Magic)]) != Magic {
		return h, cairn.Corruptf(LayerHeader, 1, "no frame: the magic bytes %q are missing", Magic[1:])
	}

	h.HeaderLen = int64(int32(binary.BigEndian.Uint32(b[AtHeaderLen:])))
	h.FrameLen = int64(binary.BigEndian.Uint64(b[AtFrameLen:]))
	h.NBytes = int64(binary.BigEndian.Uint64(b[AtNBytes:]))
	h.CBytes = int64(binary.BigEndian.Uint64(b[AtCBytes:]))
	h.TypeSize = int32(binary.BigEndian.Uint32(b[AtTypeSize:]))
	h.Codec = b[AtCodec] & 0x0f
	h.Level = b[AtCodec] >> 4

	var err error
	switch b[0] {
	case wire.TagFixArray | 14:
		err = h.parseCurrent(b)
	case wire.TagFixArray | 13:
		err = h.parseBeta2(b)
	case wire.TagFixArray | 12, wire.TagFixArray | 11:
		err = h.parseBeta1(b)
	default:
		err = cairn.Corruptf(LayerHeader, 0, "marker is 0x%02x, which no frame begins with", b[0])
	}
	if err != nil {
		return h, err
	}

	return h, h.check(size)
}

func (h *Header) parseCurrent(b []byte) error {
	if len(b) < FixedHeader {
		return cairn.Corruptf(LayerHeader, 0, "%d bytes are too few for a frame", len(b))
	}
	h.LayersAt = AtLayers
	h.Version = b[AtGeneral] & 0x0f
	h.VLBlocks = b[AtGeneral]&flagVLBlocks != 0
	h.FrameType = b[AtFrameType]
	h.Split = b[atSplit] & 3

	h.BlockSize = int32(binary.BigEndian.Uint32(b[AtBlockSize:]))
	h.ChunkSize = int32(binary.BigEndian.Uint32(b[AtChunkSize:]))
	h.Threads[0] = int16(binary.BigEndian.Uint16(b[atThreads:]))
	h.Threads[1] = int16(binary.BigEndian.Uint16(b[atThreads+3:]))
	if n := b[AtFilters-1]; n > shuffle.Slots {
		return cairn.Corruptf(LayerHeader, AtFilters-1, "%d filters, at most %d are possible", n, shuffle.Slots)
	}

	for i := range h.Pipeline {
		h.Pipeline[i] = shuffle.Spec{ID: shuffle.ID(b[AtFilters+i]), Meta: b[AtFilters+8+i]}
	}
	if h.Codec == codecInByte {
		h.Codec = b[AtFilters+6]
	}

	h.CodecMeta = b[AtFilters+7]
	h.Dict = b[AtFilters+14]&1 != 0
	h.Witness = b[AtWitness]
	if h.Version > VersionVariable {
		return fmt.Errorf("frame version %d: %w: versions up to %d are known", h.Version,
			cairn.ErrUnsupported, VersionVariable)
	}
	return nil
}

// check compares the fields with each other and with the available size.
func (h *Header) check(size int64) error {
	least := int64(FixedHeader)
	switch h.Generation {
	case Beta1:
		least = beta1Fixed
	case Beta2:
		least = beta2Fixed
	}

	switch {
	case h.HeaderLen < least:
		return cairn.Corruptf(LayerHeader, AtHeaderLen, "header length %d is less than %d", h.HeaderLen, least)
	case h.FrameLen < h.HeaderLen || h.FrameLen < MinFrame && h.Generation == Current:
		return cairn.Corruptf(LayerHeader, AtFrameLen,
			"frame length %d is too little for a header of %d bytes", uint64(h.FrameLen), h.HeaderLen)
	case h.FrameLen > size:
		return cairn.Corruptf(LayerHeader, AtFrameLen, "frame length is %d, but there are only %d bytes",
			h.FrameLen, size)
	case h.NBytes < 0:
		return cairn.Corruptf(LayerHeader, AtNBytes, "decoded size %d is negative", h.NBytes)
	case h.CBytes < 0:
		return cairn.Corruptf(LayerHeader, AtCBytes, "encoded size %d is negative", h.CBytes)
	case h.TypeSize < 1 || h.TypeSize > chunk.MaxTypeSize:
		return cairn.Corruptf(LayerHeader, AtTypeSize, "typesize %d is not in 1 to %d", h.TypeSize, chunk.MaxTypeSize)
	case h.BlockSize < 0 || h.BlockSize > chunk.MaxBlockSize:
		return cairn.Corruptf(LayerHeader, AtBlockSize, "block size %d is not in 0 to %d", h.BlockSize,
			chunk.MaxBlockSize)
	case h.ChunkSize < -1 || h.ChunkSize > chunk.MaxSize || h.ChunkSize == -1 && h.NBytes > 0:
		return cairn.Corruptf(LayerHeader, AtChunkSize, "chunk size %d with %d bytes of data", h.ChunkSize, h.NBytes)
	case h.ChunkSize > 0 && (h.NBytes-1)/int64(h.ChunkSize) >= MaxChunks:
		return cairn.Corruptf(LayerHeader, AtNBytes, "%d bytes in chunks of %d are more than %d chunks",
			h.NBytes, h.ChunkSize, MaxChunks)
	}

	return nil
}
