package frame

import (
	"context"
	"io"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/inside"
)

// Inside gives other packages of this module access to methods of the frame that are not exported.
func (f *Frame) Inside() inside.Frame[*Snapshot] { return &f.chunks }

// Inside gives other packages of this module access to methods of the snapshot that are not
// exported.
func (s *Snapshot) Inside() inside.Chunks[*Snapshot] { return (*insideChunks)(&s.reads) }

// insideChunks implements [inside.Chunks], for the newest state of a frame or for a snapshot. Its
// other methods are next to the methods of reads that do the same.
type insideChunks reads

// insideFrame implements [inside.Frame]. Its other methods are next to the methods of Frame that do
// the same.
type insideFrame struct {
	*insideChunks
	edit *editor
}

func (d *insideChunks) OldBitshuffle() bool { return d.env.oldBits }

func (d *insideChunks) Lends() bool { return d.cur.Load().lends() }

func (d *insideChunks) MustCheck(i int) bool {
	v := d.cur.Load()
	entry, err := v.entry(i)
	return err == nil && v.mustCheckPart(entry)
}

func (d *insideChunks) Requests() int { return d.cur.Load().requests() }

func (d *insideChunks) Load(ctx context.Context, off, n int64) (release func(), err error) {
	return d.cur.Load().load(ctx, off, n)
}

func (d *insideChunks) Extent(i int) (off, n int64) { return d.cur.Load().extent(i) }

func (d *insideChunks) SpecialRun(i int) int { return d.cur.Load().specialRun(i) }

func (d *insideChunks) Ration() inside.Ration { return d.cur.Load().ration() }

func (d *insideChunks) DecodeBlocks(
	ctx context.Context, dec *chunk.Decoder, i int, h chunk.Header, want []bool, sink chunk.BlockSink,
) error {
	return d.cur.Load().decodeBlocks(ctx, dec, i, h, want, sink)
}

func (d *insideChunks) Repack(
	ctx context.Context, p *chunk.Repacker, dst []byte, i int, h chunk.Header, blocks []int,
) (out []byte, ok bool, err error) {
	out = dst
	err = d.cur.Load().readParts(ctx, i, h, func(r io.ReaderAt, at int64) (err error) {
		out, ok, err = p.AppendAt(dst, h, r, at, blocks)
		return err
	})
	return out, ok, err
}

func (d *insideChunks) BytesRead() int64 { return d.env.bytesRead.Load() }

func (d *insideFrame) Newest() *Snapshot { return d.edit.cur.Load().snapshot() }

func (d *insideFrame) Removes() bool { return d.edit.liveStates != nil }

func (d *insideFrame) BeginRead() { d.edit.beginRead() }

func (d *insideFrame) EndRead() { d.edit.endRead() }

func (d *insideFrame) Keep(s *Snapshot) (release func()) {
	if d.edit.liveStates == nil {
		return func() {}
	}
	return d.edit.liveStates.keep(s.cur.Load())
}

func (d *insideFrame) Fail(err error) { d.edit.fail(err) }

func (d *insideFrame) FlushFirst(flush func(ctx context.Context) error) { d.edit.flush = flush }

// flushFirst calls the function given to [inside.Stage.FlushFirst]. The caller must not hold a
// lock.
func (e *editor) flushFirst(ctx context.Context) error {
	if e.flush == nil || e.env.closed.Load() {
		return nil
	}
	return e.flush(ctx)
}
