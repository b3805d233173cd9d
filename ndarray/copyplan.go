package ndarray

import (
	"context"
	"fmt"
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
func planArray(u *array, o *CopyOptions) (*CopyPlan, error) {
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
	p := &CopyPlan{of: u.view(), copy: c}
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
