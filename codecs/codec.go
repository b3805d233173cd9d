// Package codecs contains the codecs that compress chunks: a table of codecs, adapters that map
// levels 0 to 9 to the settings of each algorithm, and a [Registry] for additional codecs.
//
// A codec compresses a single stream of bytes. It does not depend on chunks, blocks or filters.
package codecs

// A Codec identifies a codec and its parameter in options: [LZ4], or ZFPAccuracy(-3). The zero
// value, Default, means Zstd. An additional codec with id 200 is Codec(200), or ByID(200, 7) with a
// parameter. Codecs can be compared with ==.
type Codec uint32

// The built-in codecs without a parameter. Those with one are [NDLZ], [ZFPAccuracy], [ZFPPrecision]
// and [ZFPRate].
const (
	Default Codec = 0
	BloscLZ Codec = first
	LZ4     Codec = 1
	LZ4HC   Codec = 2
	Snappy  Codec = 3 // Blosc1 only; C-Blosc2 cannot read it
	Zlib    Codec = 4
	Zstd    Codec = 5

	// Numeric compresses integers and floating-point numbers of up to 8 bytes by what their
	// neighbors along all axes predict, losing nothing. Only cairn reads it; C-Blosc2 refuses it
	// as a user's codec (format: numeric).
	Numeric Codec = idNumeric | numericVersion<<parameterShift
)

// A Codec has its id in the lowest byte and its parameter in the third. Both BloscLZ and Default
// have id 0; the bit between id and parameter distinguishes them.
const (
	first          Codec = 1 << 8
	parameterShift       = 16
)

// NDLZ compresses blocks of single bytes in two dimensions; side is the side of a cell, 4 or 8.
func NDLZ(side uint8) Codec { return ByID(idNDLZ, side) }

// ZFPAccuracy bounds the errors of float32 or float64 arrays by 10 to the power of exponent, which
// is usually negative. It is lossy, and works only on arrays, since it needs the shape of blocks.
// Blocks with NaN, infinities or missing values, and those for which the bound cannot be held, lose
// nothing.
func ZFPAccuracy(exponent int8) Codec { return ByID(idZFPAccuracy, uint8(exponent)) }

// ZFPPrecision keeps the given number of bit planes of float32 or float64 arrays; see
// [ZFPAccuracy].
func ZFPPrecision(bits uint8) Codec { return ByID(idZFPPrecision, bits) }

// ZFPRate compresses float32 or float64 arrays to percent, 1 to 100, of their size; see
// [ZFPAccuracy].
func ZFPRate(percent uint8) Codec { return ByID(idZFPRate, percent) }

// ByID returns a codec by the id and the parameter byte in a chunk header. The parameter is 0 for
// codecs without one.
func ByID(id, parameter uint8) Codec {
	c := Codec(id) | Codec(parameter)<<parameterShift
	if id == 0 {
		c |= first
	}
	return c
}

// ID returns the codec's id in the format; that of Default is the id of Zstd.
func (c Codec) ID() uint8 {
	if c == Default {
		c = Zstd
	}
	return uint8(c)
}

// Parameter returns the parameter byte for a chunk header. The codec determines whether it is
// signed.
func (c Codec) Parameter() uint8 { return uint8(c >> parameterShift) }

// An Encoder compresses streams. It owns its scratch memory and must not be used concurrently.
type Encoder interface {
	// Encode compresses src into dst and returns the number of bytes written, or 0 if the result
	// does not fit into len(dst) bytes. It never writes beyond len(dst) or to src. dst and src must
	// not overlap.
	Encode(dst, src []byte) (int, error)
}

// A Decoder decompresses streams. It owns its scratch memory and must not be used concurrently.
type Decoder interface {
	// Decode fills dst exactly from src. It fails if the stream decodes to more or fewer than
	// len(dst) bytes. Whatever src contains, Decode neither panics nor writes beyond len(dst).
	// After an error the contents of dst are undefined.
	Decode(dst, src []byte) error
}

// A RangeDecoder is a Decoder that can decode part of a stream, for readers of a few items.
type RangeDecoder interface {
	Decoder
	// DecodeRange fills dst[lo:hi] with the bytes [lo, hi) of the decoded stream, which must have
	// at least len(dst) bytes. The rest of dst is undefined afterwards. Damage outside the range
	// may go unnoticed.
	DecodeRange(dst, src []byte, lo, hi int) error
}

// A DictEncoder is an Encoder that supports dictionaries and can build them.
type DictEncoder interface {
	Encoder
	// SetDict sets the dictionary of subsequent streams; nil removes it. dict is copied. After an
	// error, which matches cairn.ErrCorrupt, the encoder has no dictionary.
	SetDict(dict []byte) error
	// BuildDict appends a dictionary of at most size bytes to dst, trained on samples that are
	// concatenated in data and have the given sizes. It returns dst unchanged if the samples have
	// nothing in common. Afterwards the encoder has no dictionary.
	BuildDict(dst, data []byte, sizes []int, size int) []byte
}

// A DictDecoder is a Decoder whose dictionary can be changed, so that it can decode chunks with
// different dictionaries.
type DictDecoder interface {
	Decoder
	// SetDict sets the dictionary of subsequent streams; nil removes it. The decoder refers to dict
	// until the next call. After an error, which matches cairn.ErrCorrupt, it has no dictionary.
	SetDict(dict []byte) error
	// ShareDict makes the decoder use the dictionary of another decoder of the same codec,
	// including the tables built from it. The other decoder must keep the dictionary while this one
	// uses it, and may be used concurrently.
	ShareDict(other Decoder)
}

// Params are the parameters of an encoder or decoder.
type Params struct {
	Level    int    // 0 to 9, for encoders
	Meta     uint8  // what Codec.Parameter returns
	TypeSize int    // bytes per item, at least 1
	Dict     []byte // dictionary, or nil

	// BlockShape is the shape of a block in items, slowest dimension first, for codecs that are
	// Shaped; nil if unknown. Codecs must not modify it.
	BlockShape []int32

	// Exact has items, as little-endian integers of TypeSize bytes, that a lossy encoder must not
	// change, and that no other item may become: missing values. NaN and infinities of floats are
	// always among them. An encoder that cannot keep them returns 0, so that the block is stored as
	// it is.
	Exact []uint64
}
