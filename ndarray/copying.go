package ndarray

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// copying says how to make an array with the items and the encoding of another.
type copying struct {
	source  *array
	options CopyOptions
	method  CopyMethod
	from    *grid.Partition // the source's geometry when the copy was planned
	to      *grid.Partition
	boxes   grid.Traverse
	ahead   int // boxes that are read while another is written
	workers int
	peak    int64
	lossy   bool
}

// bytes returns the total that is passed to CopyOptions.Progress.
func (c *copying) bytes() int64 {
	if c.method == CopyRechunk {
		return c.to.ItemCount * c.to.ItemSize
	}
	return c.to.ChunkCount * c.to.ChunkSize
}

// partition returns the geometry of the copy.
func (c *copying) partition(at *state) (*grid.Partition, error) {
	from := at.part
	info := at.view.Info()
	zarrBlocks := c.options.zarrBlocks(info)
	oldChunks := shapeOf(from, from.Chunk)
	oldBlocks := shapeOf(from, from.Block)

	chunks := c.options.ChunkShape
	blocks := c.options.BlockShape
	if !c.options.AutoShapes {
		if chunks == nil {
			chunks = oldChunks
		}
		if blocks == nil && slices.Equal(chunks, oldChunks) {
			blocks = oldBlocks
		}
	}

	// The geometry is kept even if a new array would get other shapes.
	same := slices.Equal(chunks, oldChunks) && slices.Equal(blocks, oldBlocks)
	if same && (!zarrBlocks || tiles(chunks, blocks)) {
		return from, nil
	}

	codec, level := c.options.codecAndLevel(info)
	if level == 0 {
		level = chunk.Stored
	}
	return autoPartition(shapeOf(from, from.Shape), c.source.typeSize(), &Options{
		ChunkShape: chunks, BlockShape: blocks, Codec: codec, Level: level, ZarrBlocks: zarrBlocks,
	})
}

// codecAndLevel returns the codec and the level, 0 to 9, of the copy of an array with the given
// info.
func (o *CopyOptions) codecAndLevel(info frame.Info) (codecs.Codec, int) {
	codec := info.Codec
	if o.Codec != codecs.Default {
		codec = o.Codec
	}
	level := info.Level
	if o.Level != 0 {
		level = (&chunk.Options{Level: o.Level}).ResolvedLevel()
	}
	return codec, level
}

// zarrBlocks reports whether the copy of an array with the given info has ZarrBlocks.
func (o *CopyOptions) zarrBlocks(info frame.Info) bool {
	if o.ZarrBlocks != nil {
		return *o.ZarrBlocks
	}
	return info.ZarrBlocks
}

// recodes reports whether o asks for another encoding than info has.
func (o *CopyOptions) recodes(info frame.Info) bool {
	wanted := chunk.Options{Level: o.Level, Filters: o.Filters}
	switch {
	case o.Recode, o.Loss.set(), o.zarrBlocks(info) != info.ZarrBlocks:
		return true
	case o.Codec != codecs.Default && o.Codec != info.Codec:
		return true
	case o.Level != 0 && wanted.ResolvedLevel() != info.Level:
		return true
	case o.Split != nil && *o.Split != info.Split:
		return true
	}
	return o.Filters != nil && !slices.Equal(filtersOf(wanted.Pipeline()), filtersOf(info.Pipeline))
}

// settleFilters adjusts the filters of re-encoded chunks if the options leave them open, so that a
// copy never loses precision that the caller did not ask to lose. It rejects codecs for numbers if
// the items are not numbers.
//
//   - ndmean, whose means would be averaged again over other cells, becomes ndcell, which has the
//     same order of items but keeps their values.
//   - ndcell is omitted if the new blocks have fewer items than a cell.
//   - Filters that a codec for numbers does not accept are omitted. If the codec changes from one
//     for numbers to another kind, and no filter is left, the byte shuffle is added.
func (c *copying) settleFilters(info frame.Info) error {
	source := c.source
	codec, _ := c.options.codecAndLevel(info)
	to, err := source.engine.Codecs.Lookup(codec.ID())
	if err != nil {
		return nil // the encoder reports the error
	}
	if to.Lossy && codec != info.Codec {
		if err := checkCodec(source.dtype, &Options{Codec: codec, Engine: source.engine}); err != nil {
			return fmt.Errorf("copy: %w", err)
		}
	}

	if c.options.Filters != nil {
		c.lossy = to.Lossy || source.losesPrecision(c.options.Filters)
		return nil
	}

	kept, changed := source.filtersFor(info.Pipeline, to, c.to)
	from, err := source.engine.Codecs.Lookup(info.Codec.ID())
	if err == nil && from.Numbers && !to.Numbers && len(kept) == 0 {
		kept = []shuffle.Spec{shuffle.Byte}
		changed = true
	}
	c.lossy = to.Lossy || source.losesPrecision(kept)
	if changed {
		c.options.Filters = orNone(kept)
	}
	return nil
}

// chooseBoxes decides on the number of workers and, for new shapes, on the boxes.
func (c *copying) chooseBoxes(o *CopyOptions, info frame.Info) {
	left := c.chooseWorkers(o, info)
	switch c.method {
	case CopyRecode:
		c.boxes.Decodes = c.from.ChunkCount
		c.boxes.Passes = 1
	case CopyRechunk:
		if c.source.requests > 0 {
			c.ahead = 1
		}
		c.boxes = grid.PlanTraverse(c.from, c.to, left/int64(1+c.ahead), int64(c.workers))
		c.peak += int64(1+c.ahead) * c.boxes.BoxBytes
	}
}

// chooseWorkers decides on the number of workers, and returns how many bytes are left for items.
func (c *copying) chooseWorkers(o *CopyOptions, info frame.Info) int64 {
	codec, level := o.codecAndLevel(info)
	worker := c.workerBytes(codec, level)
	if info.Dict && codec.ID() == info.Codec.ID() {
		worker += dictCopies*c.to.ChunkSize + dictBytes
	}

	// Workers take half of the memory at most: the rest is for items.
	base := baseBytes + c.indexBytes()
	left := parallel.Memory(o.Memory) - base
	c.workers = parallel.Workers(o.Workers)
	for c.workers > 1 && int64(c.workers)*worker > left/2 {
		c.workers--
	}
	c.peak = base + int64(c.workers)*worker
	return left - int64(c.workers)*worker
}

// indexBytes returns how many bytes the indexes of the array and of its copy need.
func (c *copying) indexBytes() int64 { return (c.from.ChunkCount + c.to.ChunkCount) * indexBytes }

// workerBytes returns the most bytes that a worker needs. While a buffer grows, the old one is in
// memory too.
func (c *copying) workerBytes(codec codecs.Codec, level int) int64 {
	encoded := 2 * (c.from.ChunkSize + chunkExcess)
	coding := c.source.encoderBytes(codec, level, c.to.BlockSize) + blockCopies*(c.from.BlockSize+c.to.BlockSize)
	switch c.method {
	case CopyTakeOver:
		return encoded
	case CopyRecode:
		return encoded + c.from.ChunkSize + c.to.ChunkSize + chunkExcess + coding
	}
	return encoded + c.from.ChunkSize + 2*c.to.ChunkSize + chunkExcess + coding
}

// encoderBytes returns the bytes that an encoder needs for blocks of a size.
func (c *core) encoderBytes(codec codecs.Codec, level int, block int64) int64 {
	row, err := c.engine.Codecs.Lookup(codec.ID())
	if err != nil {
		return 0 // encoding will fail
	}
	return row.Memory(level, block)
}

// Bytes that a copy needs, beyond those that follow from the shapes.
const (
	baseBytes = 3 << 20 // for opening, creating and committing
	// for an index entry, and the garbage that changing and committing it leaves
	indexBytes  = 224
	chunkExcess = 1 << 10 // of an encoded chunk over its items, and of its allocation
	blockCopies = 6       // copies of a block in a worker's scratch memory
	dictCopies  = 3       // further copies of a chunk that gets a dictionary
	dictBytes   = 4 << 20 // for making a dictionary
)

// CopyMethod says how a copy handles chunks.
type CopyMethod uint8

// The methods, from the cheapest one on.
const (
	CopyTakeOver CopyMethod = iota // encoded chunks are copied unchanged
	CopyRecode                     // each is decoded once and encoded again
	// boxes of the array are decoded, and encoded in chunks and blocks of new shapes
	CopyRechunk
)

// String returns "take over", "recode" or "rechunk".
func (m CopyMethod) String() string {
	names := [...]string{"take over", "recode", "rechunk"}
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("copy method %d", uint8(m))
}

// CopyOptions say how a copy differs from its source. Nil and the zero value mean no difference.
// Shape, dtype and byte order are always those of the source. Encoding and metalayers,
// variable-length ones included, are those of the first array in the source, if it contains one.
type CopyOptions struct {
	ChunkShape Shape // items per dimension of a chunk; nil means the array's
	// items per dimension of a block; nil means the array's, or a choice that suits ChunkShape if
	// that is given
	BlockShape Shape
	AutoShapes bool // choose shapes that are not given as [Create] does

	Codec   codecs.Codec     // zero means the array's
	Level   int              // 1 to 9, or chunk.Stored for no compression; 0 means the array's
	Filters []shuffle.Spec   // nil means the array's; shuffle.None alone means none
	Split   *chunk.SplitMode // nil means the array's
	// whether blocks are Zarr chunks as well, see [Options]; nil means like the array
	ZarrBlocks *bool
	// re-encode chunks even if none of the above changes; single chunks may have been encoded
	// otherwise
	Recode bool

	// Loss rounds the items, within a bound that is checked. It adds to any that the source says it
	// has had
	Loss Loss
	// decode the chunks that are encoded, and compare them: see chunk.Engine. Loss implies it
	Checked bool

	Sparse    *bool      // a directory with a file per chunk, or one file; nil means like the array
	Overwrite bool       // replace an existing file or directory instead of failing
	FS        storage.FS // file system of the path; nil means the operating system's

	Workers int // goroutines; 0 means one per CPU. The bytes written do not depend on it
	// bytes that the copy should not exceed; 0 means 256 MiB, or half of the limit that GOMEMLIMIT
	// or debug.SetMemoryLimit sets, if that is less
	Memory int64

	frame.Commits // NoCompact has no effect

	// Progress is called, by one goroutine at a time, with the bytes of items that are done and the
	// total, padding included. It must not use the copy.
	Progress func(done, total int64)
}

// validate returns an error for the first field that is invalid for any array. Shapes are checked
// once the array is known.
func (o *CopyOptions) validate() error { return errkind.Invalid(o.fieldError()) }

func (o *CopyOptions) fieldError() error {
	if o == nil {
		return nil
	}
	if err := notNegative([]string{"Workers", "Memory"}, int64(o.Workers), o.Memory); err != nil {
		return fmt.Errorf("copy options: %w", err)
	}
	if _, err := o.Loss.bound(); err != nil {
		return fmt.Errorf("copy options: %w", err)
	}
	return o.frame(nil).Validate()
}

// frame returns the options for copying the frame.
func (o *CopyOptions) frame(a *array) *frame.CopyOptions {
	fo := &frame.CopyOptions{
		Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split, Recode: o.Recode || o.Loss.set(),
		Sparse: o.Sparse, Overwrite: o.Overwrite, FS: o.FS, Commits: o.Commits,
		Progress: o.Progress,
	}
	if a != nil {
		fo.Engine = a.engine
	}
	return fo
}
