// Package codecs holds the byte codecs a chunk can be compressed with: one table that lists them, adapters that
// turn a level from 0 to 9 into each algorithm's own settings, and a Registry for codecs of the caller's.
//
// A codec sees one stream: bytes in, bytes out. It knows nothing of chunks, blocks or filters.
package codecs

// Codec is a choice of codec in an options struct. Its zero value, Default, stands for Zstd.
type Codec uint16

// The codecs that every registry has. A Codec is its id in the format plus one, so that zero can mean "default".
const (
	Default Codec = 0
	BloscLZ Codec = 1 // id 0
	LZ4     Codec = 2 // id 1
	LZ4HC   Codec = 3 // id 2
	Snappy  Codec = 4 // id 3: Blosc1 only; C-Blosc2 cannot read it
	Zlib    Codec = 5 // id 4
	Zstd    Codec = 6 // id 5

	NDLZ Codec = 33 // id 32: for single bytes in two dimensions; the codec parameter is the side of a cell, 4 or 8

	// These know the shape of a block and are for arrays of float32 or float64 alone. They lose precision; the codec parameter says how much.
	ZFPAccuracy  Codec = 34 // id 33: errors up to 10^parameter, which is signed
	ZFPPrecision Codec = 35 // id 34: parameter bit planes
	ZFPRate      Codec = 36 // id 35: parameter percent of the size
)

// ByID returns the codec with the given id in the format (the byte that a chunk header stores).
func ByID(id uint8) Codec { return Codec(id) + 1 }

// ID returns the codec's id in the format; Default gives that of Zstd.
func (c Codec) ID() uint8 {
	if c == Default {
		return uint8(Zstd - 1)
	}
	return uint8(c - 1)
}

// An Encoder compresses streams. It owns its scratch memory and serves one goroutine at a time.
type Encoder interface {
	// Encode compresses src into dst and returns how many bytes of dst it used, or 0 if the result does not fit
	// into len(dst) bytes. It never writes beyond len(dst) and never into src. The two do not overlap.
	Encode(dst, src []byte) (int, error)
}

// A Decoder decompresses streams. It owns its scratch memory and serves one goroutine at a time.
type Decoder interface {
	// Decode fills dst exactly from src, or fails: a stream that decodes to more or fewer than len(dst) bytes is corrupt.
	// Whatever src holds, Decode neither panics nor writes beyond len(dst). After an error the contents of dst are undefined.
	Decode(dst, src []byte) error
}

// A PrefixDecoder is a Decoder that can stop early, which is what readers of a few items want.
type PrefixDecoder interface {
	Decoder
	// DecodePrefix fills dst with the first len(dst) bytes of what src decodes to. It need not notice damage behind them.
	DecodePrefix(dst, src []byte) error
}

// A RangeDecoder is a PrefixDecoder that need not begin at the beginning.
type RangeDecoder interface {
	PrefixDecoder
	// DecodeRange fills dst[lo:hi] with bytes lo to hi of what src decodes to, which has dst's length or more. What is in the rest of dst is undefined afterwards. It need not
	// notice damage elsewhere.
	DecodeRange(dst, src []byte, lo, hi int) error
}

// A DictEncoder is an Encoder that can be given dictionaries, and can make some.
type DictEncoder interface {
	Encoder
	// SetDict makes the streams that follow such as need dict, or none if it is nil. It is copied. After an error, which matches cairn.ErrCorrupt,
	// there is none.
	SetDict(dict []byte) error
	// BuildDict appends a dictionary of at most size bytes to dst, made for streams like the samples, which lie in data one after the other and have the given
	// sizes. It returns dst as it was if they have nothing in common. The encoder has no dictionary afterwards.
	BuildDict(dst, data []byte, sizes []int, size int) []byte
}

// A DictDecoder is a Decoder whose dictionary can be changed, so that one serves for chunks that each bring their own.
type DictDecoder interface {
	Decoder
	// SetDict makes the streams that follow such as were made with dict, or with none if it is nil. The decoder refers to dict until the next
	// call. After an error, which matches cairn.ErrCorrupt, it has none.
	SetDict(dict []byte) error
	// ShareDict makes the decoder use the dictionary of another one of the same codec, and what that made of it. The other must keep it as
	// long as this one does, and may be in use at the same time.
	ShareDict(other Decoder)
}

// Params are what an adapter may need besides the bytes.
type Params struct {
	Level    int    // 0 to 9, for encoders
	Meta     uint8  // the codec parameter of the chunk header
	TypeSize int    // bytes per item, at least 1
	Dict     []byte // dictionary, or nil

	// BlockShape is the shape of a block in items, slowest dimension first, for codecs that are Shaped; nil if it is not known. It is not changed.
	BlockShape []int32
}
