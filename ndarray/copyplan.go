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
	"github.com/cairn-go/cairn/internal/visit"
	"github.com/cairn-go/cairn/shuffle"
)

// CopyMethod says what a copy does with chunks.
type CopyMethod uint8

// The methods, the cheapest one first.
const (
	CopyTakeOver CopyMethod = iota // they are taken over as they are encoded
	CopyRecode                     // each is decoded once and encoded again
	CopyRechunk                    // boxes of the array are decoded, and encoded in chunks and blocks of other shapes
)

// String returns "take over", "recode" or "rechunk".
func (m CopyMethod) String() string {
	names := [...]string{"take over", "recode", "rechunk"}
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("copy method %d", uint8(m))
}

// A CopyPlan is a copy that was worked out and not begun. It is immutable: any number of goroutines may use it.
type CopyPlan struct {
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

// PlanCopy works out how to copy an array, without reading or writing anything. o may be nil. Where the partition stays, chunks are taken over or encoded one by one. For other
// shapes of chunks or blocks the array is read in boxes of whole new chunks, as large as the memory allows, and shaped so that as few blocks as possible are met
// by more than one box, and so decoded more than once.
func PlanCopy(u *Untyped, o *CopyOptions) (*CopyPlan, error) {
	if o == nil {
		o = &CopyOptions{}
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	at, release, err := u.enter(context.Background())
	if err != nil {
		return nil, err
	}
	defer leave(release, &err)
	p := &CopyPlan{source: u, options: *o, from: at.part}
	if p.to, err = p.partition(at); err != nil {
		return nil, u.inArray(fmt.Errorf("copy: %w", err))
	}
	switch {
	case p.to.Chunk != p.from.Chunk || p.to.Block != p.from.Block:
		p.method = CopyRechunk
	case o.recodes(at.view.Info()):
		p.method = CopyRecode
	}
	if p.method != CopyTakeOver {
		if err := p.settle(at.view.Info()); err != nil {
			return nil, u.inArray(err)
		}
	}
	p.budget(o, at.view.Info())
	return p, nil
}

// Method returns what the copy does with chunks.
func (p *CopyPlan) Method() CopyMethod { return p.method }

// ChunkShape returns the shape of the copy's chunks.
func (p *CopyPlan) ChunkShape() Shape { return p.source.vec(p.to.Chunk) }

// BlockShape returns the shape of the copy's blocks.
func (p *CopyPlan) BlockShape() Shape { return p.source.vec(p.to.Block) }

// NumChunks returns the number of chunks of the copy.
func (p *CopyPlan) NumChunks() int64 { return p.to.ChunkCount }

// Bytes returns the total that CopyOptions.Progress is told: the bytes of the items, and where chunks are copied one by one of their padding.
func (p *CopyPlan) Bytes() int64 {
	if p.method == CopyRechunk {
		return p.to.ItemCount * p.to.ItemSize
	}
	return p.to.ChunkCount * p.to.ChunkSize
}

// Lossy reports whether items of the copy may be other than those of the array: where chunks are encoded again with a codec or a filter that loses precision. How far
// they can be off is what these say (docs/format/filters.md, docs/format/codecs.md), once more for zfp; trunc_prec and int_trunc take nothing away that they took before.
func (p *CopyPlan) Lossy() bool { return p.lossy }

// BoxShape returns the shape of the boxes that a rechunking copy holds decoded, one at a time.
func (p *CopyPlan) BoxShape() Shape { return p.source.vec(p.boxes.Edge) }

// Decodes returns how many times a chunk of the array is decoded, in whole or in part, at most: none that is special needs it.
func (p *CopyPlan) Decodes() int64 { return p.boxes.Decodes }

// Passes returns how often the blocks of the array are decoded on average: 0 if chunks are taken over, 1 at best otherwise.
func (p *CopyPlan) Passes() float64 { return p.boxes.Passes }

// PeakMemory returns how many bytes the copy needs at most, besides what the array itself and a copy in memory take. It is more than
// CopyOptions.Memory where not even a single new chunk can be made within that.
func (p *CopyPlan) PeakMemory() int64 { return p.peak }

// partition returns the geometry of the copy.
func (p *CopyPlan) partition(at *moment) (*grid.Partition, error) {
	o, u := &p.options, p.source
	shape, chunks, blocks := u.vec(at.part.Shape), o.ChunkShape, o.BlockShape
	if !o.AutoShapes {
		if chunks == nil {
			chunks = u.vec(at.part.Chunk)
		}
		if blocks == nil && slices.Equal(chunks, u.vec(at.part.Chunk)) {
			blocks = u.vec(at.part.Block)
		}
	}
	if slices.Equal(chunks, u.vec(at.part.Chunk)) && slices.Equal(blocks, u.vec(at.part.Block)) {
		return at.part, nil // which may be one that nobody would choose today
	}
	ao := &Options{ChunkShape: chunks, BlockShape: blocks}
	if ao.Codec, ao.Level = o.coder(at.view.Info()); ao.Level == 0 {
		ao.Level = chunk.Stored
	}
	chunks, blocks, err := AutoPartition(shape, u.TypeSize(), ao)
	if err != nil {
		return nil, err
	}
	return newPartition(shape, chunks, blocks, u.TypeSize())
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
	filters := func(p shuffle.Pipeline) []shuffle.Spec {
		return slices.DeleteFunc(slices.Clone(p[:]), func(s shuffle.Spec) bool { return s.ID == shuffle.None.ID })
	}
	return o.Recode || o.Codec != codecs.Default && o.Codec != info.Codec ||
		o.Level != 0 && co.ResolvedLevel() != info.Level || o.Split != nil && *o.Split != info.Split ||
		o.Filters != nil && !slices.Equal(filters(co.Pipeline()), filters(info.Pipeline))
}

// What a copy takes, as far as it does not follow from the shapes.
const (
	baseBytes   = 3 << 20 // for opening, creating and committing
	indexBytes  = 224     // for a chunk in the index, with what changing and committing it leaves to the collector
	chunkExcess = 1 << 10 // of an encoded chunk over its items, and of the allocation that holds it
	blockCopies = 6       // of a block, in a worker's scratch memory
	dictCopies  = 3       // of a chunk that gets a dictionary, besides
	dictBytes   = 4 << 20 // for making one
)

// budget decides on the number of workers and, for new shapes, on the boxes.
func (p *CopyPlan) budget(o *CopyOptions, info frame.Info) {
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
func (p *CopyPlan) engage(o *CopyOptions, info frame.Info) int64 {
	p.workers = parallel.Workers(o.Workers)
	fixed := baseBytes + (p.from.ChunkCount+p.to.ChunkCount)*indexBytes
	left, worker := visit.Memory(o.Memory)-fixed, p.workerBytes(o.coder(info))
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
func (p *CopyPlan) workerBytes(codec codecs.Codec, level int) int64 {
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
	row, err := u.encode.Codecs.Lookup(codec.ID())
	if err != nil {
		return 0 // it fails
	}
	return row.Memory(level, block)
}
