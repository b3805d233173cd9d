package ndarray

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// CopyMethod says how a copy handles chunks.
type CopyMethod uint8

// The methods, the cheapest one first.
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

// A CopyPlan describes a copy that has not begun. Any number of goroutines may run it.
type CopyPlan struct {
	Method     CopyMethod
	ChunkShape Shape // of the copy
	BlockShape Shape // of the copy
	NumChunks  int64 // of the copy
	BoxShape   Shape // of the boxes that a rechunking copy decodes, one at a time
	// Decodes is how many times chunks of the source are decoded at most, in whole or in part;
	// special chunks never are. Passes is the average number of times that a block is decoded: 0 if
	// chunks are taken over, otherwise at least 1.
	Decodes int64
	Passes  float64
	// PeakMemory is how many bytes the copy needs at most, besides the memory of the source. It
	// exceeds CopyOptions.Memory if even a single new chunk needs more.
	PeakMemory int64
	// IndexMemory is the part of PeakMemory that is for the indexes of the array and of its copy.
	// It is proportional to the number of their chunks.
	IndexMemory int64
	// Bytes is the total that is passed to CopyOptions.Progress: the bytes of the items, and if
	// chunks are copied one by one also of their padding.
	Bytes int64
	// Lossy says that items of the copy may differ from those of the source, because chunks are
	// re-encoded with a codec or filter that loses precision. The error is bounded as described in
	// docs/format/filters.md and docs/format/codecs.md. With zfp it adds to that of the source;
	// trunc_prec and int_trunc lose nothing a second time.
	Lossy bool

	of   UntypedView
	copy copying // if the source is a whole array
}

// PlanCopy plans a copy of a source without reading or writing any of its items. o may be nil.
// Encoded chunks are taken over if they would be the same in the copy. For that, the array must
// have the same chunks, blocks and encoding, and its chunks must begin where those of the copy do.
// A view may slice such arrays along one axis, or join them by [Concat] or [Stack]. Everything else
// is read in boxes of whole new chunks. The boxes are as large as the memory allows, and shaped so
// that as few blocks as possible lie in more than one box and are decoded more than once.
func PlanCopy(src Source, o *CopyOptions) (*CopyPlan, error) {
	if o == nil {
		o = &CopyOptions{}
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	v := ViewOf(src)
	if u := v.whole(); u != nil {
		return planArray(u, o)
	}
	j, err := v.joinPlan(context.Background(), o)
	if err != nil {
		return nil, err
	}
	defer j.end()
	p := &CopyPlan{of: v, copy: copying{options: *o}}
	p.describe(&j.plan)
	if j.takesAll() {
		p.Method, p.Decodes, p.Passes = CopyTakeOver, 0, 0
	}
	return p, nil
}

// planArray is PlanCopy for a whole array.
func planArray(u *Untyped, o *CopyOptions) (*CopyPlan, error) {
	at, release, err := u.beginFlushedRead(context.Background())
	if err != nil {
		return nil, err
	}
	defer endRead(release, &err)
	c := copying{source: u, options: *o, from: at.part}
	if c.to, err = c.partition(at); err != nil {
		return nil, u.inArray(fmt.Errorf("copy: %w", err))
	}
	switch {
	case c.to.Chunk != c.from.Chunk || c.to.Block != c.from.Block:
		c.method = CopyRechunk
	case o.recodes(at.view.Info()):
		c.method = CopyRecode
	}
	if c.method != CopyTakeOver {
		if err := c.settleFilters(at.view.Info()); err != nil {
			return nil, u.inArray(err)
		}
	}
	c.chooseBoxes(o, at.view.Info())
	p := &CopyPlan{of: u.View(), copy: c}
	p.describe(&c)
	return p, err
}

// describe fills in the exported fields.
func (p *CopyPlan) describe(c *copying) {
	p.Method, p.NumChunks, p.Lossy = c.method, c.to.ChunkCount, c.lossy
	p.PeakMemory, p.IndexMemory = c.peak, c.indexBytes()
	p.ChunkShape, p.BlockShape = shapeOf(c.to, c.to.Chunk), shapeOf(c.to, c.to.Block)
	p.BoxShape = shapeOf(c.to, c.boxes.Edge)
	p.Decodes, p.Passes, p.Bytes = c.boxes.Decodes, c.boxes.Passes, c.bytes()
}

// copying says how to make an array with the items and the encoding of another.
type copying struct {
	source  *Untyped
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

func (c *copying) bytes() int64 {
	if c.method == CopyRechunk {
		return c.to.ItemCount * c.to.ItemSize
	}
	return c.to.ChunkCount * c.to.ChunkSize
}

// partition returns the geometry of the copy.
func (p *copying) partition(at *state) (*grid.Partition, error) {
	o, from := &p.options, at.part
	chunks, blocks := o.ChunkShape, o.BlockShape
	oldChunks, oldBlocks := shapeOf(from, from.Chunk), shapeOf(from, from.Block)
	if !o.AutoShapes {
		if chunks == nil {
			chunks = oldChunks
		}
		if blocks == nil && slices.Equal(chunks, oldChunks) {
			blocks = oldBlocks
		}
	}
	if slices.Equal(chunks, oldChunks) && slices.Equal(blocks, oldBlocks) &&
		(!o.zarrBlocks(at.view.Info()) || tiles(chunks, blocks)) {
		return from, nil // keep it even if a new array would get other shapes
	}
	ao := &Options{ChunkShape: chunks, BlockShape: blocks, ZarrBlocks: o.zarrBlocks(at.view.Info())}
	if ao.Codec, ao.Level = o.codecAndLevel(at.view.Info()); ao.Level == 0 {
		ao.Level = chunk.Stored
	}
	return autoPartition(shapeOf(from, from.Shape), p.source.TypeSize(), ao)
}

// codecAndLevel returns the codec and the level, 0 to 9, of the copy of an array with the given
// info.
func (o *CopyOptions) codecAndLevel(info frame.Info) (codecs.Codec, int) {
	codec, level := info.Codec, info.Level
	if o.Codec != codecs.Default {
		codec = o.Codec
	}
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
	co := chunk.Options{Level: o.Level, Filters: o.Filters}
	return o.Recode || o.zarrBlocks(info) != info.ZarrBlocks || o.Codec != codecs.Default && o.Codec != info.Codec ||
		o.Level != 0 && co.ResolvedLevel() != info.Level || o.Split != nil && *o.Split != info.Split ||
		o.Filters != nil && !slices.Equal(filtersOf(co.Pipeline()), filtersOf(info.Pipeline))
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

// chooseBoxes decides on the number of workers and, for new shapes, on the boxes.
func (p *copying) chooseBoxes(o *CopyOptions, info frame.Info) {
	left := p.chooseWorkers(o, info)
	switch p.method {
	case CopyRecode:
		p.boxes.Decodes, p.boxes.Passes = p.from.ChunkCount, 1
	case CopyRechunk:
		if p.source.requests > 0 {
			p.ahead = 1
		}
		p.boxes = grid.PlanTraverse(p.from, p.to, left/int64(1+p.ahead), int64(p.workers))
		p.peak += int64(1+p.ahead) * p.boxes.BoxBytes
	}
}

// chooseWorkers decides on the number of workers, and returns how many bytes are left for items.
func (p *copying) chooseWorkers(o *CopyOptions, info frame.Info) int64 {
	p.workers = parallel.Workers(o.Workers)
	base := baseBytes + p.indexBytes()
	left, worker := parallel.Memory(o.Memory)-base, p.workerBytes(o.codecAndLevel(info))
	if codec, _ := o.codecAndLevel(info); info.Dict && codec.ID() == info.Codec.ID() {
		worker += dictCopies*p.to.ChunkSize + dictBytes
	}
	for p.workers > 1 && int64(p.workers)*worker > left/2 {
		p.workers--
	}
	p.peak = base + int64(p.workers)*worker
	return left - int64(p.workers)*worker
}

// indexBytes returns how many bytes the indexes of the array and of its copy need.
func (p *copying) indexBytes() int64 { return (p.from.ChunkCount + p.to.ChunkCount) * indexBytes }

// workerBytes returns the most bytes that a worker needs. While a buffer grows, the old one is in
// memory too.
func (p *copying) workerBytes(codec codecs.Codec, level int) int64 {
	encoded := 2 * (p.from.ChunkSize + chunkExcess)
	coding := p.source.encoderBytes(codec, level, p.to.BlockSize) + blockCopies*(p.from.BlockSize+p.to.BlockSize)
	switch p.method {
	case CopyTakeOver:
		return encoded
	case CopyRecode:
		return encoded + p.from.ChunkSize + p.to.ChunkSize + chunkExcess + coding
	}
	return encoded + p.from.ChunkSize + 2*p.to.ChunkSize + chunkExcess + coding
}

// encoderBytes returns the bytes that an encoder needs for blocks of a size.
func (u *Untyped) encoderBytes(codec codecs.Codec, level int, block int64) int64 {
	row, err := u.engine.Codecs.Lookup(codec.ID())
	if err != nil {
		return 0 // encoding will fail
	}
	return row.Memory(level, block)
}
