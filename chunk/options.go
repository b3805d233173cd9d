package chunk

import (
	"cmp"
	"fmt"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/shuffle"
)

// Special values of Options.Level.
const (
	Stored       = -1 // do not compress
	DefaultLevel = 5  // what Level 0 means
	maxLevel     = 9  // the highest level of compression
)

// SplitMode says whether full blocks are stored as one stream per byte of an item.
type SplitMode uint8

// The split modes of the format. Auto and ForwardCompat are equivalent: blocks are split for fast
// codecs after a byte shuffle.
const (
	SplitAuto SplitMode = iota
	SplitAlways
	SplitNever
	SplitForwardCompat
)

// String returns "auto", "always", "never" or "forward-compat".
func (m SplitMode) String() string {
	if m > SplitForwardCompat {
		return fmt.Sprintf("split mode %d", uint8(m))
	}
	return [...]string{"auto", "always", "never", "forward-compat"}[m]
}

// Options are the options for encoding. The zero value means typesize 1, Zstd at level 5 and byte
// shuffle.
type Options struct {
	Engine

	// bytes per item, 1 to MaxTypeSize; 0 means 1. Above 255 the filters work on single bytes, as
	// in C-Blosc2
	TypeSize int
	Codec    codecs.Codec // zero means Zstd
	Level    int          // 1 to 9; 0 means 5; Stored means no compression
	// at most six, applied in this order; nil means shuffle.Byte, or none for lossy codecs of
	// numbers; shuffle.None alone or an empty slice means none
	Filters []shuffle.Spec
	Split   SplitMode
	// decoded bytes per block, rounded down to whole items; 0 chooses by codec, level and size, as
	// C-Blosc2 does
	BlockSize int
	// Workers is how many blocks are encoded at the same time; the result does not depend on it. 0
	// means 1, and not one per CPU as for whole arrays: programs that handle many chunks do so on
	// several goroutines, and each worker holds a block and what the codec needs.
	Workers   int
	NoSpecial bool // encode constant chunks like any other, instead of as special chunks

	// Dict trains a dictionary for each chunk and stores it in the chunk if that saves more than
	// its size. It suits many small, similar blocks. Zstd, LZ4 and LZ4HC support it. Encoding takes
	// two to four times as long, with LZ4 ten times. C-Blosc2 can only decode such chunks as a
	// whole, and those of LZ4 only since version 3.0.
	Dict bool

	// Blosc1 writes the 16-byte header of Blosc1 (version 2), which C-Blosc 1.x can read: no
	// special chunks, at most one shuffle filter and a delta.
	Blosc1 bool

	// ZarrBlocks puts 20 bytes in front of each block that make it a chunk of Blosc1, so that a
	// Zarr array can refer to it. Such chunks are not stored, whatever their data. Codec and
	// filters must be those of Blosc1, without delta.
	ZarrBlocks bool

	// shape of a block in items, for filters and codecs that need it; nil if unknown
	BlockShape []int32
	// bytes per item as the frame states it, for filters that need it; 0 means TypeSize
	FrameTypeSize int

	// Exact has items, as little-endian integers of TypeSize bytes, that lossy codecs and filters
	// must not change, and that no other item may become: missing values. NaN and infinities of
	// floats are always among them. Where a lossy codec cannot keep them, blocks are stored as they
	// are, or the chunk is encoded with Zstd instead.
	Exact []uint64

	// Round changes items in place before they are encoded, to ones that compress better, or is
	// nil. It is given whole blocks, more than once if need be, by several goroutines, and must
	// leave items that it has changed as they are.
	Round func(items []byte) error
}

// Validate returns an error about the first invalid field, which matches [cairn.ErrInvalid].
func (o *Options) Validate() error { return errkind.Invalid(o.validate()) }

func (o *Options) validate() error {
	switch {
	case o == nil:
		return nil
	case o.TypeSize < 0 || o.TypeSize > MaxTypeSize:
		return fmt.Errorf("chunk options: TypeSize is %d, must be 1 to %d", o.TypeSize, MaxTypeSize)
	case o.Level < Stored || o.Level > maxLevel:
		return fmt.Errorf("chunk options: Level is %d, must be 1 to %d, 0 for the default or %d to store", o.Level, maxLevel, Stored)
	case len(o.Filters) > shuffle.Slots:
		return fmt.Errorf("chunk options: %d Filters, at most %d are possible", len(o.Filters), shuffle.Slots)
	case o.Split > SplitForwardCompat:
		return fmt.Errorf("chunk options: Split is %d, which is not a split mode", o.Split)
	case o.BlockSize < 0 || o.BlockSize > MaxBlockSize:
		return fmt.Errorf("chunk options: BlockSize is %d, must be 1 to %d, or 0 for automatic", o.BlockSize, MaxBlockSize)
	case o.Workers < 0:
		return fmt.Errorf("chunk options: Workers is %d, must not be negative", o.Workers)
	case o.ZarrBlocks:
		return o.validateZarrBlocks()
	case o.Blosc1:
		return o.validateBlosc1()
	}

	return nil
}

func (o *Options) validateBlosc1() error {
	if o.Dict {
		return fmt.Errorf("chunk options: Blosc1 has no dictionaries")
	}
	if wireOfCodec[o.Codec.ID()] == wireInCodecByte {
		return fmt.Errorf("chunk options: Blosc1 knows no codec %s", o.Codec)
	}
	if o.resolvedTypeSize() > 255 {
		return fmt.Errorf("chunk options: TypeSize is %d, Blosc1 has at most 255", o.TypeSize)
	}

	var h Header
	h.Flags = pipelineFlags(o.Pipeline())
	h.derivePipeline()
	if h.Pipeline != o.Pipeline() {
		return fmt.Errorf("chunk options: Filters %v do not fit into a Blosc1 header", o.Filters)
	}
	return nil
}

// checkNumbers refuses filters that recode items before a codec that needs the items, as it would
// lose parts of them or find nothing in them.
func checkNumbers(row *codecs.Row, pipeline shuffle.Pipeline, filters *shuffle.Registry) error {
	for _, s := range pipeline {
		if f, err := filters.Lookup(s.ID); row.Numbers && err == nil && f.Recodes {
			return fmt.Errorf("chunk options: codec %s needs unchanged numbers, but filter %s recodes them", row.Name, s)
		}
	}
	return nil
}

// pipelineFlags returns the flags that represent a pipeline in a 16-byte header.
func pipelineFlags(p shuffle.Pipeline) uint8 {
	var f uint8
	for _, s := range p {
		switch s.ID {
		case shuffle.IDByte:
			f |= flagShuffle
		case shuffle.IDBit:
			f |= flagBitshuffle
		case shuffle.IDDelta:
			f |= flagDelta
		}
	}
	return f
}

// Pipeline returns the six filter slots. Filters are aligned to the last slot, where C-Blosc2 puts
// its default filter.
func (o *Options) Pipeline() shuffle.Pipeline {
	var p shuffle.Pipeline
	o = cmp.Or(o, &Options{})
	if o.Filters == nil {
		if row, err := o.Codecs.Lookup(o.Codec.ID()); err != nil || !row.Numbers {
			p[shuffle.Slots-1] = shuffle.Byte
		}
		return p
	}

	n := min(len(o.Filters), shuffle.Slots)
	copy(p[shuffle.Slots-n:], o.Filters)
	return p
}

// ResolvedLevel returns the level as the format numbers it: 0 (stored) to 9.
func (o *Options) ResolvedLevel() int {
	if o == nil || o.Level == 0 {
		return DefaultLevel
	}
	return max(0, o.Level) // Stored is negative
}

// resolvedTypeSize returns TypeSize, with its default of 1 filled in.
func (o *Options) resolvedTypeSize() int {
	return max(1, o.TypeSize)
}

// chunkTypeSize returns the typesize in the header of chunks with items of the given size. A byte
// cannot hold more than 255; larger items are treated as single bytes.
func chunkTypeSize(typeSize int) int {
	if typeSize > 255 {
		return 1
	}
	return typeSize
}
