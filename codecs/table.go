package codecs

import (
	"strconv"

	"github.com/cairn-go/cairn/codecs/internal/zfp"
)

// Row describes one codec. Built-in rows are in one table; additional ones are in a [Registry].
type Row struct {
	ID uint8 // the codec's id in the format (format: chunk header, byte 0x16)
	// the 3-bit code in the flags byte of a chunk (format: chunk header, byte 0x02, bits 5 to 7); 6
	// for codecs without their own code
	WireCode uint8
	Name     string // in lower case, as in the command line and other Blosc2 tools

	// NewEncoder and NewDecoder create an instance with its own scratch memory, to be used for many
	// streams. They fail with an error matching cairn.ErrUnsupported for unsupported parameters,
	// such as a dictionary.
	NewEncoder func(Params) (Encoder, error)
	NewDecoder func(Params) (Decoder, error)

	// Splits reports whether, with automatic split mode, the codec compresses each byte plane of a
	// shuffled block as a stream of its own at a level from 0 to 9 (format: split rule). In a row
	// passed to Registry.Add, nil means never.
	Splits func(level int) bool

	// HighRatio marks codecs that favor ratio over speed: automatic block sizes are twice as large
	// for them.
	HighRatio bool

	Dict   bool // the format defines dictionaries for this codec
	Legacy bool // only in chunks of the first Blosc format; C-Blosc2 cannot read them

	// Shaped marks codecs for blocks with a shape. They may need Params.BlockShape, and their
	// encoders return 0 for streams that do not have the number of items of a block.
	Shaped bool
	Lossy  bool // changes numbers
	// Numbers marks codecs that need numbers as they are: no filter that recodes numbers may
	// precede them, and by default there is none. Lossy codecs are among them.
	Numbers bool

	Parameter Parameter // describes Params.Meta
	version   uint8     // what Params.Meta is unless stated, for codecs with versions

	// Memory returns the measured memory of an encoder in bytes, by block size. In a row passed to
	// Registry.Add, nil means 1 MiB.
	Memory func(level int, block int64) int64
}

// A Parameter describes a codec's parameter byte in the header of a chunk. The zero value describes
// a byte that is ignored.
type Parameter struct {
	Meaning   string // as in "the parameter is …"; empty if the codec ignores it
	Low, High int    // range of valid values; signed if Low is negative
}

// value returns the parameter for the byte in a header.
func (p Parameter) value(meta uint8) int {
	if p.Low < 0 {
		return int(int8(meta))
	}
	return int(meta)
}

// example returns a valid value of the parameter.
func (p Parameter) example() string {
	if p.Low < 0 {
		return "-3"
	}
	return strconv.Itoa(min(p.High, max(p.Low, 8)))
}

// wirePlugin is the wire code of every codec without its own; the codec byte in the header then
// identifies it.
const wirePlugin = 6

// The ids of codecs with a parameter; the others are equal to their [Codec].
const (
	idNDLZ         = 32
	idZFPAccuracy  = 33
	idZFPPrecision = 34
	idZFPRate      = 35
	idNumeric      = 171 // in the range of users, so C-Blosc2 gives it to nobody else
)

// table contains the built-in codecs by increasing id.
var table = [...]Row{
	{ID: 0, WireCode: 0, Name: "blosclz", NewEncoder: plainEncoder("blosclz", newBloscLZEncoder),
		NewDecoder: plainDecoder("blosclz", newBloscLZDecoder),
		Splits:     always, Memory: oneMiB},
	{ID: 1, WireCode: 1, Name: "lz4", NewEncoder: newLZ4Encoder, NewDecoder: newLZ4Decoder, Splits: always,
		Dict: true, Memory: oneMiB},
	{ID: 2, WireCode: 1, Name: "lz4hc", NewEncoder: newLZ4HCEncoder, NewDecoder: newLZ4Decoder,
		Splits: never, Dict: true, HighRatio: true, Memory: oneMiB},
	{ID: 3, WireCode: 2, Name: "snappy", NewEncoder: plainEncoder("snappy", newSnappyEncoder),
		NewDecoder: plainDecoder("snappy", newSnappyDecoder),
		Splits:     never, Legacy: true, Memory: oneMiB},
	{ID: 4, WireCode: 3, Name: "zlib", NewEncoder: plainEncoder("zlib", newZlibEncoder),
		NewDecoder: plainDecoder("zlib", newZlibDecoder),
		Splits:     never, HighRatio: true, Memory: oneMiB},
	{
		ID: 5, WireCode: 4, Name: "zstd", NewEncoder: newZstdEncoder, NewDecoder: newZstdDecoder,
		Splits: atMostLevel5, Dict: true, HighRatio: true, Memory: zstdMemory,
	},
	{
		ID: idNDLZ, WireCode: wirePlugin, Name: "ndlz", NewEncoder: plainEncoder("ndlz", newNDLZEncoder),
		NewDecoder: plainDecoder("ndlz", newNDLZDecoder),
		Splits:     never, Shaped: true, Memory: fixedMemory,
		Parameter: Parameter{"items along each side of a cell, 4 or 8", 4, 8},
	},
	{
		ID: idZFPAccuracy, WireCode: wirePlugin, Name: "zfp_acc",
		NewEncoder: plainEncoder("zfp", newZFPEncoder(zfp.Accuracy)),
		NewDecoder: plainDecoder("zfp", newZFPDecoder(zfp.Accuracy)),
		Splits:     never, Shaped: true, Lossy: true, Numbers: true, Memory: fixedMemory,
		Parameter: Parameter{"the decimal exponent of the largest error", -128, 127},
	},
	{
		ID: idZFPPrecision, WireCode: wirePlugin, Name: "zfp_prec",
		NewEncoder: plainEncoder("zfp", newZFPEncoder(zfp.Precision)),
		NewDecoder: plainDecoder("zfp", newZFPDecoder(zfp.Precision)),
		Splits:     never, Shaped: true, Lossy: true, Numbers: true, Memory: fixedMemory,
		Parameter: Parameter{"the bits of precision", 1, 255},
	},
	{
		ID: idZFPRate, WireCode: wirePlugin, Name: "zfp_rate",
		NewEncoder: plainEncoder("zfp", newZFPEncoder(zfp.Rate)),
		NewDecoder: plainDecoder("zfp", newZFPDecoder(zfp.Rate)),
		Splits:     never, Shaped: true, Lossy: true, Numbers: true, Memory: fixedMemory,
		Parameter: Parameter{"percent of the size", 1, 100},
	},
	{
		ID: idNumeric, WireCode: wirePlugin, Name: "numeric",
		NewEncoder: plainEncoder("numeric", newNumericEncoder),
		NewDecoder: plainDecoder("numeric", newNumericDecoder),
		Splits:     never, HighRatio: true, Shaped: true, Numbers: true, Memory: numericMemory,
		version: numericVersion,
	},
}

func always(int) bool             { return true }
func never(int) bool              { return false }
func atMostLevel5(level int) bool { return level <= 5 }

func oneMiB(int, int64) int64 { return 1 << 20 }

func fixedMemory(int, int64) int64 { return 4 << 20 }

func zstdMemory(level int, block int64) int64 {
	const mib = 1 << 20
	switch {
	case level >= 9:
		return 3*mib + 160*min(block, 128<<10) + 16*block
	case level >= 6:
		return 4 * mib
	}
	return mib
}

// Rows returns a copy of the table of built-in codecs, by increasing id.
func Rows() []Row { return append([]Row(nil), table[:]...) }

// builtIn returns the built-in codec of an id, or nil.
func builtIn(id uint8) *Row {
	for i := range table {
		if table[i].ID == id {
			return &table[i]
		}
	}
	return nil
}
