package frame

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/storage"
)

// Inside gives other packages of this module access to methods of the frame that are not exported.
func (f *Frame) Inside() inside.Frame[*Snapshot] { return &f.chunks }

// Inside gives other packages of this module access to methods of the snapshot that are not
// exported.
func (s *Snapshot) Inside() inside.Chunks[*Snapshot] { return (*insideChunks)(&s.reads) }

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

// Within returns a snapshot whose requests end with ctx.
func (d *insideChunks) Within(ctx context.Context) *Snapshot {
	v := d.cur.Load()
	if v.requests() == 0 {
		return v.snapshot()
	}
	return newSnapshot(v.within(ctx))
}

// Key returns the key of chunk i. It reports false if the chunk is only an index entry or does not
// exist.
func (d *insideChunks) Key(i int) (inside.ChunkKey, bool) {
	v := d.cur.Load()
	if i < 0 || i >= v.index.Len() || v.env.closed.Load() {
		return inside.ChunkKey{}, false
	}
	entry, err := v.entryAt(i)
	if err != nil || entry < 0 {
		return inside.ChunkKey{}, false
	}
	return v.key(entry), true
}

// Deposit puts a chunk next to a frame in a bucket, of which it becomes a part by Refer. The number
// of its object follows from the chunk and where it goes, so that the same deposit is one object
// however often it is made.
func (d *insideFrame) Deposit(
	ctx context.Context, fsys storage.FS, path string, plan []byte, i int, c []byte,
) (inside.Deposit, error) {
	r := inBucket(fsys, path, d.edit.env.engine.Limits)
	if r == nil {
		return inside.Deposit{}, fmt.Errorf("deposit a chunk outside of a bucket: %w", cairn.ErrUnsupported)
	}
	if _, err := checkEncoded(c); err != nil {
		return inside.Deposit{}, err
	}
	seed := binary.LittleEndian.AppendUint64(append([]byte(nil), plan...), uint64(i))
	content := format.AppendFooter(append(make([]byte, 0, len(c)+format.FooterSize), c...), format.Checksum(c))
	number, err := r.Deposit(ctx, seed, content)
	return inside.Deposit{Chunk: int64(i), Entry: number, Bytes: int64(len(c))}, err
}

// Find fails with ErrCorrupt unless the object of a deposit is there and has its size.
func (d *insideFrame) Find(ctx context.Context, at inside.Deposit) error {
	s, ok := d.edit.cur.Load().source.(*bucketSource)
	if !ok {
		return errDeposit
	}
	return s.Find(ctx, at.Entry, at.Bytes+format.FooterSize)
}

var errDeposit = fmt.Errorf("refer to chunks in a bucket from a frame outside of it: %w", cairn.ErrUnsupported)

// Refer replaces chunks that are only an entry for zeros by deposits.
func (d *insideFrame) Refer(ctx context.Context, deposits []inside.Deposit) error {
	if len(deposits) == 0 {
		return nil
	}
	return d.edit.change(ctx, func(next change) error {
		if _, ok := next.source.(*bucketSource); !ok {
			return errDeposit
		}
		for _, at := range deposits {
			if err := next.refer(at); err != nil {
				return err
			}
		}
		return nil
	})
}

func (v change) refer(at inside.Deposit) error {
	i := int(at.Chunk)
	if err := v.checkChunk(i); err != nil {
		return err
	}
	if at.Entry <= 0 || at.Bytes < chunk.HeaderSize {
		return cairn.Corruptf(bucket.Layer, -1, "a deposit of %d bytes under number %d", at.Bytes, at.Entry)
	}

	if err := v.await(i); err != nil {
		return err
	}
	was, err := v.entryAt(i)
	if err != nil {
		return err
	}

	if was != v.index.Fill() {
		return fmt.Errorf("chunk %d is there already: %w", i, cairn.ErrConflict)
	}
	v.index, err = v.index.Set(i, at.Entry)
	v.live += at.Bytes
	return err
}
