package frame

import (
	"context"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/inside"
)

// Inside gives other packages of this module access to methods of the frame that are not exported.
func (f *Frame) Inside() inside.Frame { return (*insideFrame)(f) }

// insideFrame implements [inside.Frame]. Its other methods are next to the methods of Frame that do
// the same.
type insideFrame Frame

// state returns the newest state, or the only one of a snapshot.
func (d *insideFrame) state() *state { return (*Frame)(d).cur.Load() }

func (d *insideFrame) OldBitshuffle() bool { return d.env.oldBits }

func (d *insideFrame) Lends() bool { return d.state().lends() }

func (d *insideFrame) MustCheck(i int) bool {
	v := d.state()
	entry, err := v.entry(i)
	return err == nil && v.mustCheckPart(entry)
}

func (d *insideFrame) Requests() int {
	if many, ok := d.state().source.file().(loader); ok {
		return many.Requests()
	}
	if _, ok := d.state().source.(*bucketSource); ok {
		return bucketRequests
	}
	return 0
}

func (d *insideFrame) Load(ctx context.Context, off, n int64) (release func(), err error) {
	v := d.state()
	many, ok := v.source.file().(loader)
	if !ok {
		return func() {}, nil
	}
	release, err = many.Load(ctx, off, n)
	return release, v.env.place(err)
}

func (d *insideFrame) Extent(i int) (off, n int64) {
	v := d.state()
	entry, err := v.entry(i)
	switch {
	case err != nil || v.isSparse():
		return 0, -1
	case entry < 0:
		return 0, 0
	}
	if off, n = v.source.offset(entry), v.head.CBytes-entry; n < chunk.HeaderSize {
		return 0, -1
	}
	// Chunks without bytes may lie in between.
	for next := i + 1; next < v.index.Len(); next++ {
		after, err := v.index.At(next)
		switch {
		case err != nil || after >= 0 && after <= entry || next > i+extentSteps:
			return 0, -1
		case after > entry:
			return off, min(n, after-entry)
		}
	}
	return off, n
}

// extentSteps is how many chunks without bytes Extent passes over.
const extentSteps = 64

func (d *insideFrame) SpecialRun(i int) int { return d.state().specialRun(i) }

func (d *insideFrame) Ration() inside.Ration { return d.state().ration() }

func (d *insideFrame) DecodeBlocks(
	ctx context.Context, dec *chunk.Decoder, i int, h chunk.Header, want []bool, sink chunk.BlockSink,
) error {
	return d.state().decodeBlocks(ctx, dec, i, h, want, sink)
}

func (d *insideFrame) FlushFirst(flush func(ctx context.Context) error) { d.flush = flush }

// flushFirst calls the function given to [inside.Stage.FlushFirst]. The caller must not hold a
// lock.
func (f *Frame) flushFirst(ctx context.Context) error {
	if f.flush == nil || f.env.closed.Load() {
		return nil
	}
	return f.flush(ctx)
}
