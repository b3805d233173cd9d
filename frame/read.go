package frame

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
)

// chunkInfo describes chunk i with look, which is describe or peek.
func (v *state) chunkInfo(i int, look func(v *state, i int, entry int64) (ChunkInfo, error)) (ChunkInfo, error) {
	entry, err := v.entry(i)
	if err != nil {
		return ChunkInfo{}, err
	}
	info, err := look(v, i, entry)
	return info, v.inChunk(i, entry, err)
}

// specialRun returns how many chunks from i on are known to be the same as chunk i: special entries
// of one kind and size, so that callers need not visit a hundred million of them one by one. In a
// hostile index that repeats one offset, this includes stored chunks. It returns 1 if nothing is
// known, and 0 if there is no chunk i.
func (v *state) specialRun(i int) int {
	entry, err := v.entry(i)
	if err != nil {
		return 0
	}
	if entry >= 0 && !v.index.IsRun() {
		return 1
	}
	// The last chunk can be shorter than those before.
	return max(1, min(v.index.Run(i), v.index.Len()-1-i))
}

// describe is peek, but compares the chunk with its checksum if necessary.
func (v *state) describe(i int, entry int64) (ChunkInfo, error) {
	info, err := v.peek(i, entry)
	if err != nil || !v.mustCheckPart(entry) {
		return info, err
	}
	sp, err := v.openChunk(entry)
	if err != nil {
		return ChunkInfo{}, err
	}
	sp.brief = true
	d := v.env.getDecoding()
	defer v.env.putDecoding(d)
	d.buf, err = v.checkWhole(d.buf, entry, &sp, int64(info.CBytes))
	return info, errors.Join(err, sp.Release())
}

// peek describes a chunk by its header.
func (v *state) peek(i int, entry int64) (ChunkInfo, error) {
	if entry < 0 {
		c, err := v.synthesize(nil, i, entry)
		if err != nil {
			return ChunkInfo{}, err
		}
		h, err := chunk.ParseHeader(c)
		return ChunkInfo{Kind: h.Special(), InIndex: true, Offset: -1, NBytes: int(h.NBytes), Header: h}, err
	}
	sp, err := v.openChunk(entry)
	if err != nil {
		return ChunkInfo{}, err
	}
	sp.brief = true
	h, err := v.readHeader(entry, &sp)
	if err := errors.Join(err, sp.Release()); err != nil {
		return ChunkInfo{}, err
	}

	at := v.source.place(entry)
	return ChunkInfo{
		Kind: h.Special(), Offset: at.offset, File: at.file,
		NBytes: int(h.NBytes), CBytes: int(h.CBytes), Header: h,
	}, nil
}

// readHeader reads the header of the chunk at the beginning of sp.
func (v *state) readHeader(entry int64, sp *span) (chunk.Header, error) {
	raw, err := v.readHead(entry, sp)
	if err != nil {
		return chunk.Header{}, err
	}
	return v.parseHeader(raw, *sp)
}

// encodedChunk returns the bytes of chunk i.
func (v *state) encodedChunk(buf []byte, i int) ([]byte, error) {
	entry, err := v.entry(i)
	if err != nil {
		return nil, err
	}
	c, err := v.fetch(buf, i, entry)
	return c.bytes, v.inChunk(i, entry, err)
}

// decodeBlocks decodes those blocks of chunk i for which want is true with d and passes them to
// sink. It reads only these blocks, and the offset table unless it is cached; the first read of a
// chunk may read all of it for the checksum. h is the chunk's header from [Frame.Chunk] or
// [Frame.Peek]. The chunk must be stored. See [chunk.Decoder.DecodeBlocksAt].
func (v *state) decodeBlocks(
	ctx context.Context, d *chunk.Decoder, i int, h chunk.Header, want []bool, sink chunk.BlockSink,
) error {
	return v.readParts(ctx, i, h, func(r io.ReaderAt, at int64) error { return d.DecodeBlocksAt(h, r, at, want, sink) })
}

// readParts calls read with a reader of chunk i, whose header is h, and its offset there. If the
// chunk has to be compared with its checksum, that happens first.
func (v *state) readParts(ctx context.Context, i int, h chunk.Header, read func(r io.ReaderAt, at int64) error) error {
	v = v.within(ctx)
	entry, err := v.entry(i)
	if err != nil {
		return err
	}

	if entry < 0 {
		return v.env.place(fmt.Errorf("blocks of chunk %d, which is not stored: %w", i, cairn.ErrNotFound))
	}
	sp, err := v.openChunk(entry)
	if err != nil {
		return v.inChunk(i, entry, err)
	}

	sp.ctx = ctx
	known := v.keptHead(entry)
	if int64(h.CBytes) > sp.limit {
		err = cairn.Corruptf("chunk", 12, "%d encoded bytes are stated, but only %d are there", h.CBytes, sp.limit)
	} else if v.mustCheckPart(entry) {
		whole := v.env.getDecoding()
		defer v.env.putDecoding(whole)
		whole.buf, err = v.checkWhole(whole.buf, entry, &sp, int64(h.CBytes))
		if known = whole.buf; len(known) == 0 {
			known = v.keptHead(entry)
		}
	}
	if err == nil {
		c, ok := v.env.parts.Get().(*withHead)
		if !ok {
			c = &withHead{}
		}
		err = read(sp.reader(c, known), sp.at)
		*c = withHead{}
		v.env.parts.Put(c)
	}

	return v.inChunk(i, entry, errors.Join(err, sp.Release()))
}

// lends reports whether EncodedChunk returns existing memory without a read, so that reading parts
// of a chunk saves nothing.
func (v *state) lends() bool { return v.source.book().lends }

// decode calls run with the encoded chunk i and a decoder, and returns the number of bytes that run
// returns.
func (v *state) decode(ctx context.Context, i int, run func(d *decoding, c []byte) (int, error)) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	v = v.within(ctx)
	entry, err := v.entry(i)
	if err != nil {
		return 0, err
	}

	d := v.env.getDecoding()
	defer v.env.putDecoding(d)
	sp := span{brief: true, ctx: ctx}
	c, err := v.fetchFrom(&sp, d.buf, i, entry, v.mustCheck(entry))
	if err != nil {
		return 0, v.inChunk(i, entry, errors.Join(err, sp.Release()))
	}

	n, err := run(d, c.bytes)
	if failed := sp.Release(); err == nil {
		err = failed
	}
	d.buf = c.memory(d.buf)
	if err != nil && errors.Is(err, cairn.ErrBounds) {
		return 0, v.env.place(fmt.Errorf("chunk %d: %w", i, err))
	}

	return n, v.inChunk(i, entry, err)
}
