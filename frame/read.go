package frame

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/wire"
)

// ChunkInfo describes a chunk without decoding it.
type ChunkInfo struct {
	Kind chunk.Special // SpecialNone for a chunk with data
	// the chunk is only an index entry; Header is the one that a stored chunk would have
	InIndex bool
	// offset of the chunk in the file of the frame or, in a sparse frame, in its own; -1 if InIndex
	Offset int64
	File   string // name of the chunk's own file in a sparse frame
	NBytes int    // decoded
	CBytes int    // stored; 0 if InIndex
	Header chunk.Header
}

// entry returns index entry i.
func (v *state) entry(i int) (int64, error) {
	if err := v.env.open(); err != nil {
		return 0, err
	}
	if i < 0 || i >= v.index.Len() {
		return 0, v.env.place(fmt.Errorf("chunk %d of %d: %w", i, v.index.Len(), cairn.ErrBounds))
	}
	e, err := v.entryAt(i)
	return e, v.env.place(err)
}

// inChunk adds the name of the frame, the chunk and its offset to an error about chunk i.
func (v *state) inChunk(i int, entry int64, err error) error {
	return v.env.place(v.inChunkUnnamed(i, entry, err))
}

// inChunkUnnamed is inChunk without the name of the frame, for errors that will get it later.
func (v *state) inChunkUnnamed(i int, entry int64, err error) error {
	if err == nil {
		return nil
	}
	base := int64(-1)
	if entry >= 0 {
		base = v.source.place(entry).offset
	}
	var ce *cairn.CorruptError
	if errors.As(err, &ce) && ce.Offset < 0 && base >= 0 {
		at := *ce
		at.Offset = 0
		err = &at
	}
	err = cairn.InChunk(err, int64(i), base)
	if s, ok := v.source.(*bucketSource); ok && entry >= 0 {
		return naming.In(s.place(entry).file, err)
	}
	return err
}

// specialSize returns the decoded size of special chunk i: the chunk size, or the rest for the last
// chunk.
func (v *state) specialSize(i int) (int, error) {
	size := int64(v.head.ChunkSize)
	if size <= 0 {
		return 0, cairn.Corruptf("index entry", -1, "special chunk without a size in a frame of variable chunk size")
	}
	if rest := v.head.NBytes % size; i == v.index.Len()-1 && rest != 0 {
		size = rest
	}
	return int(size), nil
}

// synthesize makes the encoded chunk for a special entry, in buf if it fits.
func (v *state) synthesize(buf []byte, i int, entry int64) ([]byte, error) {
	kind, err := index.Kind(entry)
	if err != nil {
		return nil, err
	}
	size, err := v.specialSize(i)
	if err != nil {
		return nil, err
	}
	c, err := chunk.AppendSpecial(buf[:0], kind, nil, size, int(v.head.TypeSize), int(v.head.BlockSize))
	if err != nil {
		return nil, wire.Because(cairn.Corruptf("index entry", -1, "invalid special chunk"), err)
	}
	return c, nil
}

// parseHeader parses and checks the header of the chunk at the beginning of sp and raw.
func (v *state) parseHeader(raw []byte, sp span) (chunk.Header, error) {
	h, err := chunk.ParseHeader(raw)
	if err != nil {
		return h, err
	}
	limit := v.env.engine.Limits.MaxChunk
	switch size := int64(v.head.ChunkSize); {
	case int64(h.CBytes) > sp.limit:
		return h, cairn.Corruptf("chunk", 12, "%d encoded bytes are stated, but only %d are there", h.CBytes, sp.limit)
	case size > 0 && int64(h.NBytes) > size:
		return h, cairn.Corruptf("chunk", 4, "decoded size %d is more than the frame's chunk size %d", h.NBytes, size)
	case int64(h.CBytes) > limit || int64(h.NBytes) > limit:
		return h, fmt.Errorf("%d bytes, encoded %d: %w: MaxChunk is %d", h.NBytes, h.CBytes, cairn.ErrLimit, limit)
	}
	return h, nil
}

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
