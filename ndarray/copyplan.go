package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/meta"
)

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

	if o.Loss.KeepAuto {
		settled := *o
		if err := settled.Loss.settle(src); err != nil {
			return nil, fmt.Errorf("copy: %w", err)
		}
		o = &settled
	}

	v := ViewOf(src)
	if a := v.whole(); a != nil {
		return planArray(a, o)
	}

	j, err := v.joinPlan(context.Background(), o)
	if err != nil {
		return nil, err
	}
	defer j.end()

	p := &CopyPlan{of: v, copy: copying{options: *o}}
	p.describe(&j.plan)
	if j.takesAll() {
		p.Method = CopyTakeOver
		p.Decodes = 0
		p.Passes = 0
	}
	return p, nil
}

// settle makes KeepAuto the number of bits that the items of a source have.
func (l *Loss) settle(src Source) error {
	var attributes meta.Map
	if labelled, ok := src.(Labelled); ok {
		own, err := labelled.Labels()
		if err != nil {
			return err
		}
		attributes = own.Attributes
	}

	chunks, _ := src.Grid()
	bits, err := rounding.KeepBits(context.Background(), src.DType(), attributes, src.Shape(), chunks, src.ReadBytes)
	l.KeepAuto = false
	l.KeepBits = bits
	return err
}

// planArray is PlanCopy for a whole array.
func planArray(a *array, o *CopyOptions) (p *CopyPlan, err error) {
	at, release, err := a.beginFlushedRead(context.Background())
	if err != nil {
		return nil, err
	}
	defer endRead(release, &err)

	info := at.view.Info()
	c := copying{source: a, options: *o, from: at.part}
	c.to, err = c.partition(at)
	if err != nil {
		return nil, a.inArray(fmt.Errorf("copy: %w", err))
	}

	switch {
	case c.to.Chunk != c.from.Chunk || c.to.Block != c.from.Block:
		c.method = CopyRechunk
	case o.recodes(info):
		c.method = CopyRecode
	}
	if c.method != CopyTakeOver {
		if err := c.settleFilters(info); err != nil {
			return nil, a.inArray(err)
		}
	}
	c.chooseBoxes(o, info)

	p = &CopyPlan{of: a.view(), copy: c}
	p.describe(&c)
	return p, nil
}

// describe fills in the exported fields.
func (p *CopyPlan) describe(c *copying) {
	p.Method = c.method
	p.ChunkShape = shapeOf(c.to, c.to.Chunk)
	p.BlockShape = shapeOf(c.to, c.to.Block)
	p.NumChunks = c.to.ChunkCount
	p.BoxShape = shapeOf(c.to, c.boxes.Edge)
	p.Decodes = c.boxes.Decodes
	p.Passes = c.boxes.Passes
	p.PeakMemory = c.peak
	p.IndexMemory = c.indexBytes()
	p.Bytes = c.bytes()
	p.Lossy = c.lossy || c.options.Loss.set()
}
