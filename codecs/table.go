package codecs

import (
	"strconv"

	"github.com/cairn-go/cairn/codecs/internal/zfp"
)

// Row describes one codec. The built-in rows are in one table; a caller's own go into a [Registry].
type Row struct {
	ID uint8 // the codec's number in the format (format: chunk header byte 0x16)
	// the 3-bit code in the flags byte of a chunk (format: chunk header, byte 0x02, bits 5 to 7); 6
	// for all that have none of their own
	WireCode uint8
	Name     string // lower case, as the command line and other Blosc2 tools spell it

	// NewEncoder and NewDecoder make one instance with its own scratch memory, to be used for many
	// streams. They fail with an error matching cairn.ErrUnsupported for parameters the codec does
	// not have, such as a dictionary.
	NewEncoder func(Params) (Encoder, error)
	NewDecoder func(Params) (Decoder, error)

	// Splits tells whether the automatic split mode gives each byte plane of a shuffled block its
	// own stream at a level
	// from 0 to 9 (format: split rule). Registry.Add takes nil for never.
	Splits func(level int) bool

	// HighRatio marks codecs made for high ratios rather than speed: automatic block sizes are
	// twice as large for them.
	HighRatio bool

	Dict   bool // the format defines dictionaries for this codec
	Legacy bool // only found in chunks of the first Blosc format; C-Blosc2 cannot read it

	// Shaped marks codecs of blocks that have a shape: they may need Params.BlockShape, and their
	// encoders give up on any stream that has not as many items as a block.
	Shaped bool
	Lossy  bool // numbers in, other numbers out: no filter may come before that recodes them

	Parameter Parameter // what Params.Meta means

	// Memory returns the bytes that an encoder takes for blocks of a size, as measured.
	// Registry.Add takes nil for one MiB.
	Memory func(level int, block int64) int64
}

// A Parameter is the byte that goes with a codec in the header of a chunk. The zero value is that
// of codecs that ignore it.
type Parameter struct {
	Meaning   string // as in "the parameter is …"; empty if the codec ignores it
	Low, High int    // the values that it may have; it is signed if Low is negative
}

// value returns the parameter that the byte in a header stands for.
func (p Parameter) value(meta uint8) int {
	if p.Low < 0 {
		return int(int8(meta))
	}
	return int(meta)
}

// example returns a value that a parameter may have.
func (p Parameter) example() string {
	if p.Low < 0 {
		return "-3"
	}
	return strconv.Itoa(min(p.High, max(p.Low, 8)))
}

// wirePlugin is the wire code of every codec that has none of its own; the id in the header then
// says which it is.
const wirePlugin = 6

// The ids of codecs with a parameter; the others are their [Codec].
const (
	idNDLZ         = 32
	idZFPAccuracy  = 33
	idZFPPrecision = 34
	idZFPRate      = 35
)

// table lists the built-in codecs in the order of their ids.
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
		Splits: upTo5, Dict: true, HighRatio: true, Memory: zstdMemory,
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
		Splits:     never, Shaped: true, Lossy: true, Memory: fixedMemory,
		Parameter: Parameter{"the decimal exponent of the largest error", -128, 127},
	},
	{
		ID: idZFPPrecision, WireCode: wirePlugin, Name: "zfp_prec",
		NewEncoder: plainEncoder("zfp", newZFPEncoder(zfp.Precision)),
		NewDecoder: plainDecoder("zfp", newZFPDecoder(zfp.Precision)),
		Splits:     never, Shaped: true, Lossy: true, Memory: fixedMemory,
		Parameter: Parameter{"the bits of precision", 1, 255},
	},
	{
		ID: idZFPRate, WireCode: wirePlugin, Name: "zfp_rate",
		NewEncoder: plainEncoder("zfp", newZFPEncoder(zfp.Rate)),
		NewDecoder: plainDecoder("zfp", newZFPDecoder(zfp.Rate)),
		Splits:     never, Shaped: true, Lossy: true, Memory: fixedMemory,
		Parameter: Parameter{"percent of the size", 1, 100},
	},
}

func always(int) bool      { return true }
func never(int) bool       { return false }
func upTo5(level int) bool { return level <= 5 }

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

// Rows returns a copy of the built-in table, in the order of ids.
func Rows() []Row { return append([]Row(nil), table[:]...) }

// builtIn returns the table's row for an id, or nil.
func builtIn(id uint8) *Row {
	for i := range table {
		if table[i].ID == id {
			return &table[i]
		}
	}
	return nil
}
