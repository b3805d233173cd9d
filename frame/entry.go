package frame

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/wire"
)

// entryAt returns an entry of the index.
func (v *state) entryAt(i int) (int64, error) {
	if err := v.await(i); err != nil {
		return 0, err
	}
	return v.index.At(i)
}

// await fetches the part of the index that has entry i, if v has a context and a lazy index.
func (v *state) await(i int) error {
	if v.ctx == nil {
		return nil
	}

	if s, ok := v.source.(lazySource); ok {
		return s.load(v.ctx, i/index.SegmentLen)
	}
	return nil
}

// openChunk opens a stored chunk.
func (v *state) openChunk(entry int64) (span, error) {
	sp, err := v.source.open(entry, v.head.CBytes)
	sp.total = &v.env.bytesRead
	if sp.ctx = v.ctx; v.ctx == nil {
		return sp, err
	}
	if o, ok := sp.File.(*bucket.Object); ok {
		o.EndWith(v.ctx)
	}
	return sp, err
}

// requests returns how many requests for chunks are in flight at most, or 0 if there are none.
func (v *state) requests() int { return v.source.book().requests }

// within returns v with a context that ends all its requests, if it is read by requests.
func (v *state) within(ctx context.Context) *state {
	if ctx == nil || v.requests() == 0 {
		return v
	}
	w := *v
	w.ctx = ctx
	return &w
}

func (v *state) key(entry int64) inside.ChunkKey {
	id := &v.source.book().id
	return inside.ChunkKey{Source: id.number(&v.env.sources), Entry: entry, Generation: id.generation(entry)}
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
