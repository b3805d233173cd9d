// Package shuffle contains the filters that prepare a block for a codec: byte shuffle, bitshuffle,
// delta, bytedelta, truncation, cells and their means, and the type of a pipeline of up to six
// filters.
//
// A filter processes one block and does not change its size. It does not depend on chunks, codecs
// or files.
package shuffle

// ID is a filter's number in the format.
type ID uint8

// Filter ids assigned by the format (format: chunk header bytes 0x10–0x15).
const (
	IDNone      ID = 0
	IDByte      ID = 1
	IDBit       ID = 2
	IDDelta     ID = 3
	IDTruncPrec ID = 4

	IDNDCell         ID = 32
	IDNDMean         ID = 33
	IDByteDeltaBuggy ID = 34 // bytedelta as written by C-Blosc2 before 2.10.0; for reading only
	IDByteDelta      ID = 35
	IDIntTrunc       ID = 36
)

// Spec is a filter with its parameter byte, as in a slot of a pipeline.
type Spec struct {
	ID   ID
	Meta uint8
}

// Filters for options. A pipeline of None alone filters nothing.
var (
	None  = Spec{ID: IDNone}
	Byte  = Spec{ID: IDByte}
	Bit   = Spec{ID: IDBit}
	Delta = Spec{ID: IDDelta}
)

// ByteDelta replaces every byte of a plane by its difference from the previous one. It should
// follow [Byte]. planes is the number of planes of a block, normally the bytes of an item, from 1
// to 255; 0 means the frame's type size, which is not stored in chunks.
func ByteDelta(planes uint8) Spec { return Spec{ID: IDByteDelta, Meta: planes} }

// IntTrunc keeps the highest bits of integers of 1, 2, 4 or 8 bytes; a negative number zeroes that
// many of the lowest bits instead. It is lossy, except for [Context.Exact].
func IntTrunc(bits int8) Spec { return Spec{ID: IDIntTrunc, Meta: uint8(bits)} }

// NDCell divides a block of an array into cells of side items, 1 to 255, along each dimension, and
// makes the items of each cell contiguous. A cell must not have more items than a block, and arrays
// must not have more than eight dimensions.
func NDCell(side uint8) Spec { return Spec{ID: IDNDCell, Meta: side} }

// NDMean replaces each float of an array by the mean of its cell. Cells have side items, 1 to 127,
// along each dimension, or as many as a block has. Items must be little-endian floats of 4 or 8
// bytes. It is lossy: NaN, infinities and [Context.Exact] stay, and have no part in the means.
func NDMean(side uint8) Spec { return Spec{ID: IDNDMean, Meta: side} }

// TruncPrec keeps the given number of mantissa bits of floats of 4 or 8 bytes; a negative number
// drops that many instead. It is lossy, except for NaN, infinities and [Context.Exact].
func TruncPrec(bits int8) Spec { return Spec{ID: IDTruncPrec, Meta: uint8(bits)} }

// Slots is the number of filter slots in a pipeline.
const Slots = 6

// Pipeline is the six filter slots of a chunk: slot 0 runs first on encoding and last on decoding.
type Pipeline [Slots]Spec

// Context describes the current block to filters.
type Context struct {
	TypeSize int // bytes per item in the chunk header, at least 1
	// chunk format version; 2 and 3 select the historical bitshuffle, 0 means current
	Version uint8
	Ref     []byte // for delta: decoded block 0 of the chunk; nil if this is block 0

	FrameTypeSize int // bytes per item in the frame, which may exceed 255; 0 if unknown
	// shape of a block in items, for filters that need it; nil if unknown
	BlockShape []int32

	// items, as little-endian integers of TypeSize bytes, that lossy filters must not change, and
	// that no other item may become: missing values. NaN and infinities of floats are always among
	// them
	Exact []uint64
}
