package frame

import (
	"context"
	"io"

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

func (d *insideFrame) Requests() int { return d.state().requests() }

func (d *insideFrame) Load(ctx context.Context, off, n int64) (release func(), err error) {
	return d.state().load(ctx, off, n)
}

func (d *insideFrame) Extent(i int) (off, n int64) { return d.state().extent(i) }

func (d *insideFrame) SpecialRun(i int) int { return d.state().specialRun(i) }

func (d *insideFrame) Ration() inside.Ration { return d.state().ration() }

func (d *insideFrame) DecodeBlocks(
	ctx context.Context, dec *chunk.Decoder, i int, h chunk.Header, want []bool, sink chunk.BlockSink,
) error {
	return d.state().decodeBlocks(ctx, dec, i, h, want, sink)
}

func (d *insideFrame) Repack(
	ctx context.Context, p *chunk.Repacker, dst []byte, i int, h chunk.Header, blocks []int,
) (out []byte, ok bool, err error) {
	out = dst
	err = d.state().readParts(ctx, i, h, func(r io.ReaderAt, at int64) (err error) {
		out, ok, err = p.AppendAt(dst, h, r, at, blocks)
		return err
	})
	return out, ok, err
}

func (d *insideFrame) Newest() any { return d.state().snapshot() }

func (d *insideFrame) BytesRead() int64 { return d.env.bytesRead.Load() }

func (d *insideFrame) Removes() bool { return d.liveStates != nil }

func (d *insideFrame) BeginRead() { (*Frame)(d).beginRead() }

func (d *insideFrame) EndRead() { (*Frame)(d).endRead() }

func (d *insideFrame) Keep(snapshot any) (release func()) {
	if d.liveStates == nil {
		return func() {}
	}
	return d.liveStates.keep(snapshot.(*Frame).cur.Load())
}

func (d *insideFrame) Fail(err error) { (*Frame)(d).fail(err) }

func (d *insideFrame) FlushFirst(flush func(ctx context.Context) error) { d.flush = flush }

// flushFirst calls the function given to [inside.Stage.FlushFirst]. The caller must not hold a
// lock.
func (f *Frame) flushFirst(ctx context.Context) error {
	if f.flush == nil || f.env.closed.Load() {
		return nil
	}
	return f.flush(ctx)
}
