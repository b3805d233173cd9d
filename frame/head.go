package frame

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

const (
	minHead = 512 // bytes of a head if the number of blocks is unknown
	maxHead = 16 << 10
)

// keptHead returns the cached head of a chunk, or nil.
func (v *state) keptHead(entry int64) []byte {
	key := v.key(entry)
	if h := v.env.heads.slot(key).Load(); h != nil && h.key == key {
		return h.raw
	}
	return nil
}

// keepHead stores a head in the cache. It replaces any other in its slot.
func (v *state) keepHead(entry int64, raw []byte) {
	key := v.key(entry)
	v.env.heads.slot(key).Store(&head{key, raw})
}

func (v *state) dropHead(entry int64) { v.env.heads.slot(v.key(entry)).Store(nil) }

// headSize returns how many bytes of a chunk to cache.
func (v *state) headSize() int64 {
	if v.head.ChunkSize <= 0 || v.head.BlockSize <= 0 {
		return minHead
	}
	blocks := (int64(v.head.ChunkSize)-1)/int64(v.head.BlockSize) + 1
	return min(chunk.HeaderSize+4*blocks, maxHead)
}

// readHead returns the head of the chunk at the beginning of sp, at least its header.
func (v *state) readHead(entry int64, sp *span) ([]byte, error) {
	least := min(chunk.HeaderSize, sp.limit)
	if raw := sp.lend(least); raw != nil {
		return raw, nil
	}
	if raw := v.keptHead(entry); raw != nil {
		return raw, nil
	}

	if o, ok := sp.File.(*bucket.Object); ok {
		raw, err := o.Start(sp.ctx, nil, v.headSize())
		if err != nil {
			return nil, err
		}
		sp.total.Add(int64(len(raw)))
		sp.limit = o.Bytes()
		// The size of the object is not kept, so the head must fit to it.
		if _, err := v.parseHeader(raw, *sp); err == nil {
			v.keepHead(entry, raw)
		}
		return raw, nil
	}

	raw, err := sp.read(nil, min(v.headSize(), sp.limit))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		raw, err = sp.read(nil, least)
	}
	if err != nil {
		return nil, wire.Missing(err, "chunk", 0)
	}
	v.keepHead(entry, raw)
	return raw, nil
}

// A farChunk is a chunk with its head in a file that can read several ranges with one call.
type farChunk struct {
	withHead
	many manyReader
}

// ReadParts reads several parts of the chunk with one call.
func (c *farChunk) ReadParts(ctx context.Context, at []int64, into [][]byte) error {
	var ranges []storage.Range
	for i, off := range at {
		from := off - c.at
		if from < 0 || from+int64(len(into[i])) > int64(len(c.head)) {
			ranges = append(ranges, storage.Range{Off: off, Data: into[i]})
			c.total.Add(int64(len(into[i])))
			continue
		}
		copy(into[i], c.head[from:])
	}
	return c.many.ReadRanges(ctx, ranges)
}

// reader returns a reader of a chunk whose head is known, in the memory c if it is read directly.
func (s *span) reader(c *withHead, head []byte) io.ReaderAt {
	*c = withHead{s.from(), s.at, head, s.total}
	if many, ok := s.File.(manyReader); ok {
		return &farChunk{*c, many}
	}
	return c
}

// A withHead chunk is a reader that takes the bytes of the head from memory and the rest from the
// file.
type withHead struct {
	io.ReaderAt
	at    int64 // where the chunk begins
	head  []byte
	total *atomic.Int64 // as that of the span
}

func (c *withHead) ReadAt(b []byte, off int64) (n int, err error) {
	if from := off - c.at; from >= 0 && from < int64(len(c.head)) {
		n = copy(b, c.head[from:])
	}
	if n == len(b) {
		return n, nil
	}
	rest, err := c.ReaderAt.ReadAt(b[n:], off+int64(n))
	c.total.Add(int64(rest))
	return n + rest, err
}

// load is Load of [inside.Chunks].
func (v *state) load(ctx context.Context, off, n int64) (release func(), err error) {
	many, ok := v.oneFile().(loader)
	if !ok {
		return func() {}, nil
	}
	release, err = many.Load(ctx, off, n)
	return release, v.env.place(err)
}

// extentSteps is how many chunks without bytes extent passes over.
const extentSteps = 64

// extent is Extent of [inside.Chunks].
func (v *state) extent(i int) (off, n int64) {
	if v.apart() {
		return 0, -1
	}

	entry, err := v.entry(i)
	switch {
	case err != nil:
		return 0, -1
	case entry < 0:
		return 0, 0
	}
	if off, n = v.source.place(entry).offset, v.head.CBytes-entry; n < chunk.HeaderSize {
		return 0, -1
	}
	// Chunks without bytes may lie in between.
	for next := i + 1; next < v.index.Len(); next++ {
		after, err := v.entryAt(next)
		switch {
		case err != nil || after >= 0 && after <= entry || next > i+extentSteps:
			return 0, -1
		case after > entry:
			return off, min(n, after-entry)
		}
	}
	return off, n
}
