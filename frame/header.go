package frame

import (
	"encoding/binary"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// The header, msgpack with every field at a fixed place (docs/format/frame.md), integers big-endian:
//
//	00  9e                    array of 14
//	01  a8 "b2frame\0"
//	0a  d2  header_len   i32
//	0f  cf  frame_len    u64
//	18  a4                    four bytes:
//	19      version | 0x10 = 64-bit offsets | 0x40 variable chunk size | 0x80 blocks of variable length
//	1a      0 contiguous, 1 sparse
//	1b      codec id (6: see 4d) | level << 4
//	1c      split mode
//	1d  d3  nbytes       i64
//	26  d3  cbytes       i64
//	2f  d2  typesize     i32
//	34  d2  blocksize    i32  0 = each chunk as it likes
//	39  d2  chunksize    i32  0 = variable, -1 = no chunk yet
//	3e  d1  threads      i16  twice: compression, decompression
//	44  c2 or c3              whether the trailer has metalayers
//	45  d8  06                16 bytes:
//	47      filters      6 x u8
//	4d      codec id
//	4e      codec parameter
//	4f      filter parameters  6 x u8
//	55      bit 0: chunks use dictionaries
//	56         b6 while the commit record holds (record.go), else 0
//	57  metalayers, see package meta
const (
	magic = "\xa8b2frame\x00"

	atHeaderLen = 0x0b
	atFrameLen  = 0x10
	atGeneral   = 0x19
	atFrameType = 0x1a
	atCodec     = 0x1b
	atSplit     = 0x1c
	atNBytes    = 0x1e
	atCBytes    = 0x27
	atTypeSize  = 0x30
	atBlockSize = 0x35
	atChunkSize = 0x3a
	atThreads   = 0x3f
	atHasVL     = 0x44
	atFilters   = 0x47
	atWitness   = 0x56
	atLayers    = 0x57

	fixedHeader  = atLayers // bytes before the metalayers
	minFrame     = 112      // what C-Blosc2 takes as the least
	codecInByte  = 6        // nibble that defers to byte 4d
	codecNibbles = 5        // largest codec id that the nibble itself states

	versionFixed    = 2
	versionVariable = 3
	offsets64       = 0x10
	flagVariable    = 0x40
	flagVLBlocks    = 0x80

	typeContiguous = 0
	typeSparse     = 1

	layerHeader  = "frame header"
	layerTrailer = "frame trailer"
)

// maxChunks is how many entries fit into an index, which is one chunk.
const maxChunks = chunk.MaxSize / 8

// Generation tells apart the layouts of frame headers.
type Generation uint8

// The generations. Only the current one is written.
const (
	// Current is what every release since C-Blosc2 2.0 writes.
	Current Generation = iota
	// Beta2 is the layout of 2.0.0-beta.2.
	Beta2
	// Beta1 is the layout of 2.0.0-beta.1, which has no trailer.
	Beta1
	// Beta3 is the layout of 2.0.0-beta.3 to beta.5.
	Beta3
)

// OldBitshuffle reports whether the writers of the generation had the bitshuffle that chunks had
// before version 4. beta.3 and beta.4 had it too, but nothing tells their frames from those of
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

// header is the fixed part of a frame header. Each change of a frame copies it, so that its fields
// stand where they take the least room.
type header struct {
	layersAt  int   // where the metalayers begin; 0 if there is no room for any
	headerLen int64 // bytes
	frameLen  int64 // bytes
	nbytes    int64
	cbytes    int64
	typeSize  int32
	blockSize int32
	chunkSize int32
	threads   [2]int16

	generation Generation
	version    uint8
	frameType  uint8
	split      uint8 // as stored: chunk.SplitMode in another order
	codec      uint8 // id
	codecMeta  uint8
	level      uint8
	pipeline   shuffle.Pipeline
	dict       bool
	vlBlocks   bool // as the flags say; readers go by the first chunk
	witness    uint8
}

// indexAt returns where the index begins, counted from the begin of the frame.
func (h *header) indexAt() int64 {
	if h.sparse() {
		return h.headerLen
	}
	return h.headerLen + h.cbytes
}

// sparse reports whether chunks have files of their own.
func (h *header) sparse() bool { return h.frameType == typeSparse }

// variable reports whether chunks have individual sizes.
func (h *header) variable() bool { return h.chunkSize == 0 }

// writeVersion returns the format version that the header must state.
func (h *header) writeVersion() uint8 {
	if h.variable() || h.vlBlocks {
		return versionVariable
	}
	return versionFixed
}

// splitModes are the split modes in the order of their numbers in the header.
var splitModes = [...]chunk.SplitMode{chunk.SplitAlways, chunk.SplitNever, chunk.SplitAuto, chunk.SplitForwardCompat}

func splitByte(m chunk.SplitMode) uint8 {
	for i, mode := range splitModes {
		if mode == m {
			return uint8(i)
		}
	}
	return 0
}

// splitMode returns the mode that the header states.
func (h *header) splitMode() chunk.SplitMode { return splitModes[h.split&3] }

// chunkOptions returns how chunks are encoded that come as plain data.
func (h *header) chunkOptions() chunk.Options {
	level := min(int(h.level), 9) // the header has room for more
	if level == 0 {
		level = chunk.Stored
	}
	filters := h.pipeline // all six slots, so that each stays where it is
	row, err := (*codecs.Registry)(nil).Lookup(h.codec)
	return chunk.Options{
		Dict:     h.dict && err == nil && row.Dict, // C-Blosc2 lets any codec ask for one
		TypeSize: int(h.typeSize), Codec: codecs.ByID(h.codec, h.codecMeta), Level: level,
		Filters: filters[:], Split: h.splitMode(), BlockSize: int(h.blockSize),
	}
}

// append writes the header and its metalayers to the end of dst. headerLen is computed; frameLen,
// nbytes and cbytes are taken as they are.
func (h *header) append(dst []byte, layers []meta.Layer, hasVL bool) []byte {
	start := len(dst)
	dst = append(append(dst, wire.TagFixArray|14), magic...)
	dst = wire.AppendInt32(dst, int32(headerSize(layers)))
	dst = binary.BigEndian.AppendUint64(append(dst, wire.TagUint64), uint64(h.frameLen))
	general, codec := h.writeVersion()|offsets64, h.codec
	if h.variable() {
		general |= flagVariable
	}
	if h.vlBlocks {
		general |= flagVLBlocks
	}
	if codec > codecNibbles {
		codec = codecInByte
	}
	dst = append(dst, wire.TagFixStr|4, general, h.frameType, codec|h.level<<4, h.split)
	dst = wire.AppendInt64(dst, h.nbytes)
	dst = wire.AppendInt64(dst, h.cbytes)
	dst = wire.AppendInt32(dst, h.typeSize)
	dst = wire.AppendInt32(dst, h.blockSize)
	dst = wire.AppendInt32(dst, h.chunkSize)
	dst = wire.AppendInt16(dst, h.threads[0])
	dst = wire.AppendInt16(dst, h.threads[1])
	tag, flags2 := uint8(wire.TagFalse), uint8(0)
	if hasVL {
		tag = wire.TagTrue
	}
	if h.dict {
		flags2 = 1
	}
	dst = append(dst, tag, wire.TagFixExt16, shuffle.Slots)
	for _, s := range h.pipeline {
		dst = append(dst, uint8(s.ID))
	}
	dst = append(dst, h.codec, h.codecMeta)
	for _, s := range h.pipeline {
		dst = append(dst, s.Meta)
	}
	dst = append(dst, flags2, h.witness)
	return meta.AppendHeaderLayers(dst, int64(len(dst)-start), layers)
}

// headerSize returns the length of a header with the given metalayers.
func headerSize(layers []meta.Layer) int64 { return fixedHeader + meta.LayersSize(layers) }

// parseHeader reads the fixed part of a header from b, which holds at least as much of the frame as
// its generation needs for that, if the frame is that long. size is how many bytes the frame can
// have at most. Everything that can be judged without the rest of the frame is checked.
func parseHeader(b []byte, size int64) (header, error) {
	var h header
	if len(b) < beta1Fixed || size < beta1Fixed {
		return h, cairn.Corruptf(layerHeader, 0, "%d bytes are too few for a frame", min(size, int64(len(b))))
	}
	if string(b[1:1+len(magic)]) != magic {
		return h, cairn.Corruptf(layerHeader, 1, "no frame: the magic bytes %q are missing", magic[1:])
	}
	h.headerLen = int64(int32(binary.BigEndian.Uint32(b[atHeaderLen:])))
	h.frameLen = int64(binary.BigEndian.Uint64(b[atFrameLen:]))
	h.nbytes = int64(binary.BigEndian.Uint64(b[atNBytes:]))
	h.cbytes = int64(binary.BigEndian.Uint64(b[atCBytes:]))
	h.typeSize = int32(binary.BigEndian.Uint32(b[atTypeSize:]))
	h.codec, h.level = b[atCodec]&0x0f, b[atCodec]>>4
	var err error
	switch b[0] {
	case wire.TagFixArray | 14:
		err = h.parseCurrent(b)
	case wire.TagFixArray | 13:
		err = h.parseBeta2(b)
	case wire.TagFixArray | 12, wire.TagFixArray | 11:
		err = h.parseBeta1(b)
	default:
		err = cairn.Corruptf(layerHeader, 0, "marker is 0x%02x, which no frame begins with", b[0])
	}
	if err != nil {
		return h, err
	}
	return h, h.check(size)
}

func (h *header) parseCurrent(b []byte) error {
	if len(b) < fixedHeader {
		return cairn.Corruptf(layerHeader, 0, "%d bytes are too few for a frame", len(b))
	}
	h.layersAt = atLayers
	h.version, h.vlBlocks = b[atGeneral]&0x0f, b[atGeneral]&flagVLBlocks != 0
	h.frameType, h.split = b[atFrameType], b[atSplit]&3
	h.blockSize = int32(binary.BigEndian.Uint32(b[atBlockSize:]))
	h.chunkSize = int32(binary.BigEndian.Uint32(b[atChunkSize:]))
	h.threads[0] = int16(binary.BigEndian.Uint16(b[atThreads:]))
	h.threads[1] = int16(binary.BigEndian.Uint16(b[atThreads+3:]))
	if n := b[atFilters-1]; n > shuffle.Slots {
		return cairn.Corruptf(layerHeader, atFilters-1, "%d filters, at most %d are possible", n, shuffle.Slots)
	}
	for i := range h.pipeline {
		h.pipeline[i] = shuffle.Spec{ID: shuffle.ID(b[atFilters+i]), Meta: b[atFilters+8+i]}
	}
	if h.codec == codecInByte {
		h.codec = b[atFilters+6]
	}
	h.codecMeta, h.dict = b[atFilters+7], b[atFilters+14]&1 != 0
	h.witness = b[atWitness]
	if h.version > versionVariable {
		return fmt.Errorf("frame version %d: %w: versions up to %d are known", h.version, cairn.ErrUnsupported, versionVariable)
	}
	return nil
}

// check compares the fields of every generation with each other and with the bytes there are.
func (h *header) check(size int64) error {
	least := int64(fixedHeader)
	switch h.generation {
	case Beta1:
		least = beta1Fixed
	case Beta2:
		least = beta2Fixed
	}
	switch {
	case h.headerLen < least:
		return cairn.Corruptf(layerHeader, atHeaderLen, "header length %d is less than %d", h.headerLen, least)
	case h.frameLen < h.headerLen || h.frameLen < minFrame && h.generation == Current:
		return cairn.Corruptf(layerHeader, atFrameLen, "frame length %d is too little for a header of %d bytes", uint64(h.frameLen), h.headerLen)
	case h.frameLen > size:
		return cairn.Corruptf(layerHeader, atFrameLen, "frame length is %d, but there are only %d bytes", h.frameLen, size)
	case h.nbytes < 0:
		return cairn.Corruptf(layerHeader, atNBytes, "decoded size %d is negative", h.nbytes)
	case h.cbytes < 0:
		return cairn.Corruptf(layerHeader, atCBytes, "encoded size %d is negative", h.cbytes)
	case h.typeSize < 1 || h.typeSize > chunk.MaxTypeSize:
		return cairn.Corruptf(layerHeader, atTypeSize, "typesize %d is not in 1 to %d", h.typeSize, chunk.MaxTypeSize)
	case h.blockSize < 0 || h.blockSize > chunk.MaxBlockSize:
		return cairn.Corruptf(layerHeader, atBlockSize, "block size %d is not in 0 to %d", h.blockSize, chunk.MaxBlockSize)
	case h.chunkSize < -1 || h.chunkSize > chunk.MaxSize || h.chunkSize == -1 && h.nbytes > 0:
		return cairn.Corruptf(layerHeader, atChunkSize, "chunk size %d with %d bytes of data", h.chunkSize, h.nbytes)
	case h.chunkSize > 0 && (h.nbytes-1)/int64(h.chunkSize) >= maxChunks:
		return cairn.Corruptf(layerHeader, atNBytes, "%d bytes in chunks of %d are more than %d chunks", h.nbytes, h.chunkSize, maxChunks)
	}
	return nil
}
