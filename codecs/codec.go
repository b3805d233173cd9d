// Package codecs has the codecs that compress chunks: a table that lists them, adapters that map
// levels 0 to 9 to the settings of each algorithm, and a [Registry] for codecs of your own.
//
// A codec sees one stream of bytes. It knows nothing of chunks, blocks or filters.
package codecs

// A Codec is a choice of codec, with its parameter, as options hold it: [LZ4], or ZFPAccuracy(-3).
// Its zero value, Default, stands for Zstd. A caller's own codec, with id 200 for instance, is
// Codec(200), or ByID(200, 7) with a parameter. Codecs compare with ==.
type Codec uint32

// The codecs without a parameter that every registry has. [NDLZ], [ZFPAccuracy], [ZFPPrecision] and
// [ZFPRate] have one.
const (
	Default Codec = 0
	BloscLZ Codec = first
	LZ4     Codec = 1
	LZ4HC   Codec = 2
	Snappy  Codec = 3 // Blosc1 only; C-Blosc2 cannot read it
	Zlib    Codec = 4
	Zstd    Codec = 5
)

// A Codec has its id in the lowest byte and its parameter in the third. The id of BloscLZ is 0, and
// so is Default; the bit between the two tells them apart.
const (
	first          Codec = 1 << 8
	parameterShift       = 16
)

// NDLZ is for blocks of single bytes in two dimensions; side is that of a cell, 4 or 8.
func NDLZ(side uint8) Codec { return ByID(idNDLZ, side) }

// ZFPAccuracy keeps the errors of float32 or float64 arrays below 10 to the power of exponent,
// which is mostly negative. It loses precision, and needs arrays: it looks at the shape of blocks.
func ZFPAccuracy(exponent int8) Codec { return ByID(idZFPAccuracy, uint8(exponent)) }

// ZFPPrecision keeps a number of bit planes of float32 or float64 arrays; see [ZFPAccuracy].
func ZFPPrecision(bits uint8) Codec { return ByID(idZFPPrecision, bits) }

// ZFPRate makes float32 or float64 arrays as small as percent, 1 to 100, of their size; see
// [ZFPAccuracy].
func ZFPRate(percent uint8) Codec { return ByID(idZFPRate, percent) }

// ByID returns a codec by what a chunk header stores of it: its id and the byte that is its
// parameter, 0 for codecs that have none.
func ByID(id, parameter uint8) Codec {
	c := Codec(id) | Codec(parameter)<<parameterShift
	if id == 0 {
		c |= first
	}
	return c
}

// ID returns the codec's id in the format; Default gives that of Zstd.
func (c Codec) ID() uint8 {
	if c == Default {
		c = Zstd
	}
	return uint8(c)
}

// Parameter returns the byte that a chunk header stores as the codec's parameter. Whether it is
// signed is the codec's business.
func (c Codec) Parameter() uint8 { return uint8(c >> parameterShift) }

// An Encoder compresses streams. It owns its scratch memory and serves one goroutine at a time.
type Encoder interface {
	// Encode compresses src into dst and returns how many bytes of dst it used, or 0 if the result
	// does not fit into len(dst) bytes. It never writes beyond len(dst) and never into src. The two
	// do not overlap.
	Encode(dst, src []byte) (int, error)
}

// A Decoder decompresses streams. It owns its scratch memory and serves one goroutine at a time.
type Decoder interface {
	// Decode fills dst exactly from src, or fails: a stream that decodes to more or fewer than
	// len(dst) bytes is corrupt. Whatever src holds, Decode neither panics nor writes beyond
	// len(dst). After an error the contents of dst are undefined.
	Decode(dst, src []byte) error
}

// A RangeDecoder is a Decoder that need not decode everything, which is what readers of a few items
// want.
type RangeDecoder interface {
	Decoder
	// DecodeRange fills dst[lo:hi] with bytes lo to hi of what src decodes to, which has dst's
	// length or more. What is in the rest of dst is undefined afterwards. It need not notice damage
	// elsewhere.
	DecodeRange(dst, src []byte, lo, hi int) error
}

// A DictEncoder is an Encoder that can be given dictionaries, and can make some.
type DictEncoder interface {
	Encoder
	// SetDict makes the streams that follow such as need dict, or none if it is nil. It is copied.
	// After an error, which matches cairn.ErrCorrupt, there is none.
	SetDict(dict []byte) error
	// BuildDict appends a dictionary of at most size bytes to dst, made for streams like the
	// samples, which lie in data one after the other and have the given sizes. It returns dst as it
	// was if they have nothing in common. The encoder has no dictionary afterwards.
	BuildDict(dst, data []byte, sizes []int, size int) []byte
}

// A DictDecoder is a Decoder whose dictionary can be changed, so that one serves for chunks that
// each bring their own.
type DictDecoder interface {
	Decoder
	// SetDict makes the streams that follow such as were made with dict, or with none if it is nil.
	// The decoder refers to dict until the next call. After an error, which matches
	// cairn.ErrCorrupt, it has none.
	SetDict(dict []byte) error
	// ShareDict makes the decoder use the dictionary of another one of the same codec, and what
	// that made of it. The other must keep it as long as this one does, and may be in use at the
	// same time.
	ShareDict(other Decoder)
}

// Params are what an adapter may need besides the bytes.
type Params struct {
	Level    int    // 0 to 9, for encoders
	Meta     uint8  // what Codec.Parameter returns
	TypeSize int    // bytes per item, at least 1
	Dict     []byte // dictionary, or nil

	// BlockShape is the shape of a block in items, slowest dimension first, for codecs that are
	// Shaped; nil if it is not known. It is not changed.
	BlockShape []int32
}
