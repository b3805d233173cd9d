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

// CopyMethod says what a copy does with chunks.
type CopyMethod uint8

// The methods, the cheapest one first.
const (
	CopyTakeOver CopyMethod = iota // they are taken over as they are encoded
	CopyRecode                     // each is decoded once and encoded again
	// boxes of the array are decoded, and encoded in chunks and blocks of other shapes
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

// A CopyPlan is a copy that was worked out and not begun. Any number of goroutines may run it.
type CopyPlan struct {
	Method     CopyMethod
	ChunkShape Shape // of the copy
	BlockShape Shape // of the copy
	NumChunks  int64 // of the copy
	BoxShape   Shape // of the boxes that a rechunking copy holds decoded, one at a time
	// Decodes is how many times chunks of the source are decoded at most, in whole or in part;
	// special ones never are. Passes is how often its blocks are on average: 0 if chunks are taken
	// over, 1 at best otherwise.
	Decodes int64
	Passes  float64
	// PeakMemory is how many bytes the copy needs at most, besides what the source itself takes. It
	// is more than CopyOptions.Memory where not even a single new chunk can be made within that.
	PeakMemory int64
	// Bytes is the total that CopyOptions.Progress is told: the bytes of the items, and where
	// chunks are copied one by one of their padding.
	Bytes int64
	// Lossy says that items of the copy may be other than those of the source: chunks are encoded
	// again with a codec or a filter that loses precision. How far they can be off is what these
	// say (docs/format/filters.md, docs/format/codecs.md), once more for zfp; trunc_prec and
	// int_trunc take nothing away that they took before.
	Lossy bool

	of   UntypedView
	copy copying // of all of an array
}

// PlanCopy works out how to copy a source, without reading or writing any of its items. o may be
// nil. Chunks that are the same in the copy are taken over as they are encoded: those of an array
// with the same chunks, blocks and encoding, also where a view cuts it along one axis or [Concat]
// and [Stack] join several, if they begin where a chunk of the copy does. Everything else is read
// in boxes of whole new chunks, as large as the memory allows, and shaped so that as few blocks as
// possible are met by more than one box, and so decoded more than once.
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

// planArray is PlanCopy for all of an array.
func planArray(u *Untyped, o *CopyOptions) (*CopyPlan, error) {
	at, release, err := u.enter(context.Background())
	if err != nil {
		return nil, err
	}
	defer leave(release, &err)
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
		if err := c.settle(at.view.Info()); err != nil {
			return nil, u.inArray(err)
		}
	}
	c.budget(o, at.view.Info())
	p := &CopyPlan{of: u.View(), copy: c}
	p.describe(&c)
	return p, err
}

// describe fills in what is known of a copy.
func (p *CopyPlan) describe(c *copying) {
	p.Method, p.NumChunks, p.PeakMemory, p.Lossy = c.method, c.to.ChunkCount, c.peak, c.lossy
	p.ChunkShape, p.BlockShape = shapeOf(c.to, c.to.Chunk), shapeOf(c.to, c.to.Block)
	p.BoxShape = shapeOf(c.to, c.boxes.Edge)
	p.Decodes, p.Passes, p.Bytes = c.boxes.Decodes, c.boxes.Passes, c.bytes()
}

// copying is how an array is made with the items and the encoding of another.
type copying struct {
	source  *Untyped
	options CopyOptions
	method  CopyMethod
	from    *grid.Partition // when it was planned
	to      *grid.Partition
	boxes   grid.Traverse
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
	had, hadBlocks := shapeOf(from, from.Chunk), shapeOf(from, from.Block)
	if !o.AutoShapes {
		if chunks == nil {
			chunks = had
		}
		if blocks == nil && slices.Equal(chunks, had) {
			blocks = hadBlocks
		}
	}
	if slices.Equal(chunks, had) && slices.Equal(blocks, hadBlocks) {
		return from, nil // which may be one that nobody would choose today
	}
	ao := &Options{ChunkShape: chunks, BlockShape: blocks}
	if ao.Codec, ao.Level = o.coder(at.view.Info()); ao.Level == 0 {
		ao.Level = chunk.Stored
	}
	return autoPartition(shapeOf(from, from.Shape), p.source.TypeSize(), ao)
}

// coder returns the codec and the level, 0 to 9, of the copy of an array that info describes.
func (o *CopyOptions) coder(info frame.Info) (codecs.Codec, int) {
	codec, level := info.Codec, info.Level
	if o.Codec != codecs.Default {
		codec = o.Codec
	}
	if o.Level != 0 {
		level = (&chunk.Options{Level: o.Level}).ResolvedLevel()
	}
	return codec, level
}

// recodes reports whether o wants chunks encoded otherwise than info says.
func (o *CopyOptions) recodes(info frame.Info) bool {
	co := chunk.Options{Level: o.Level, Filters: o.Filters}
	return o.Recode || o.Codec != codecs.Default && o.Codec != info.Codec ||
		o.Level != 0 && co.ResolvedLevel() != info.Level || o.Split != nil && *o.Split != info.Split ||
		o.Filters != nil && !slices.Equal(filtersOf(co.Pipeline()), filtersOf(info.Pipeline))
}

// What a copy takes, as far as it does not follow from the shapes.
const (
	baseBytes = 3 << 20 // for opening, creating and committing
	// for a chunk in the index, with what changing and committing it leaves to the collector
	indexBytes  = 224
	chunkExcess = 1 << 10 // of an encoded chunk over its items, and of the allocation that holds it
	blockCopies = 6       // of a block, in a worker's scratch memory
	dictCopies  = 3       // of a chunk that gets a dictionary, besides
	dictBytes   = 4 << 20 // for making one
)

// budget decides on the number of workers and, for new shapes, on the boxes.
func (p *copying) budget(o *CopyOptions, info frame.Info) {
	left := p.engage(o, info)
	switch p.method {
	case CopyRecode:
		p.boxes.Decodes, p.boxes.Passes = p.from.ChunkCount, 1
	case CopyRechunk:
		p.boxes = grid.PlanTraverse(p.from, p.to, left, int64(p.workers))
		p.peak += p.boxes.BoxBytes
	}
}

// engage decides on the number of workers, and returns how many bytes are left for items.
func (p *copying) engage(o *CopyOptions, info frame.Info) int64 {
	p.workers = parallel.Workers(o.Workers)
	fixed := baseBytes + (p.from.ChunkCount+p.to.ChunkCount)*indexBytes
	left, worker := parallel.Memory(o.Memory)-fixed, p.workerBytes(o.coder(info))
	if codec, _ := o.coder(info); info.Dict && codec.ID() == info.Codec.ID() {
		worker += dictCopies*p.to.ChunkSize + dictBytes
	}
	for p.workers > 1 && int64(p.workers)*worker > left/2 {
		p.workers--
	}
	p.peak = fixed + int64(p.workers)*worker
	return left - int64(p.workers)*worker
}

// workerBytes returns what a worker needs at most. While a buffer grows the old one is there too.
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

// encoderBytes returns what an encoder takes for blocks of a size.
func (u *Untyped) encoderBytes(codec codecs.Codec, level int, block int64) int64 {
	row, err := u.engine.Codecs.Lookup(codec.ID())
	if err != nil {
		return 0 // it fails
	}
	return row.Memory(level, block)
}
