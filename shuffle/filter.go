// Package shuffle has the filters that prepare a block for a codec: byte shuffle, bitshuffle,
// delta, bytedelta, truncation, cells and their means, and the pipeline that chains up to six of
// them.
//
// A filter sees one block, and returns as many bytes as it gets. It knows nothing of chunks,
// codecs or files.
package shuffle

// ID is a filter's number in the format.
type ID uint8

// Filter ids that the format assigns (format: chunk header bytes 0x10–0x15).
const (
	IDNone      ID = 0
	IDByte      ID = 1
	IDBit       ID = 2
	IDDelta     ID = 3
	IDTruncPrec ID = 4

	IDNDCell         ID = 32
	IDNDMean         ID = 33
	IDByteDeltaBuggy ID = 34 // what C-Blosc2 wrote for bytedelta before 2.10.0: for reading
	IDByteDelta      ID = 35
	IDIntTrunc       ID = 36
)

// Spec is a filter with its parameter byte, as a slot of a pipeline holds it.
type Spec struct {
	ID   ID
	Meta uint8
}

// Filters to put into options. A pipeline that holds None alone filters nothing.
var (
	None  = Spec{ID: IDNone}
	Byte  = Spec{ID: IDByte}
	Bit   = Spec{ID: IDBit}
	Delta = Spec{ID: IDDelta}
)

// ByteDelta is meant to follow [Byte]: it turns every byte of a plane into its difference from the
// one before, where a block has so many planes, from 1 to 255; give it the bytes of an item. 0
// stands for the frame's type size, which a chunk by itself does not state.
func ByteDelta(planes uint8) Spec { return Spec{ID: IDByteDelta, Meta: planes} }

// IntTrunc keeps the highest bits of 1-, 2-, 4- or 8-byte integers (a negative number zeroes that
// many of the lowest instead). It is lossy.
func IntTrunc(bits int8) Spec { return Spec{ID: IDIntTrunc, Meta: uint8(bits)} }

// NDCell puts the items of each cell one behind the other: a block of an array is cut into cells of
// side items along each dimension, 1 to 255. A cell may have no more items than a block, and arrays
// no more than eight dimensions.
func NDCell(side uint8) Spec { return Spec{ID: IDNDCell, Meta: side} }

// NDMean replaces each float of an array by the mean of its cell. Cells have side items along each
// dimension, 1 to 127, or as many as a block has. Items have 4 or 8 bytes and are taken for
// little-endian floats whatever the array's dtype is. It is lossy.
func NDMean(side uint8) Spec { return Spec{ID: IDNDMean, Meta: side} }

// TruncPrec keeps bits mantissa bits of 4- or 8-byte floats (a negative number drops that many
// instead). It is lossy.
func TruncPrec(bits int8) Spec { return Spec{ID: IDTruncPrec, Meta: uint8(bits)} }

// Slots is the number of filter slots in a pipeline.
const Slots = 6

// Pipeline is the six filter slots of a chunk: slot 0 runs first on encoding and last on decoding.
type Pipeline [Slots]Spec

// Context is what filters may need to know about the block at hand.
type Context struct {
	TypeSize int // bytes per item as the chunk says, at least 1
	// chunk format version; 2 and 3 select the historical bitshuffle, 0 means current
	Version uint8
	Ref     []byte // decoded block 0 of the chunk for delta; nil when the block at hand is block 0

	FrameTypeSize int // bytes per item as the frame says, which may exceed 255; 0 if not known
	// shape of a block in items, for filters that know dimensions; nil if not known
	BlockShape []int32
}
