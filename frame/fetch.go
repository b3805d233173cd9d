package frame

import (
	"context"
	"errors"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/wire"
)

// fetch returns chunk i, after checking its checksum if necessary.
func (v *state) fetch(buf []byte, i int, entry int64) (fetched, error) {
	var sp span
	c, err := v.fetchFrom(&sp, buf, i, entry, v.mustCheck(entry))
	return c, errors.Join(err, sp.Release())
}

// fetchFrom is fetch with the span sp, which the caller releases once it no longer needs the bytes.
// Only sp.brief and sp.ctx may be set before the call. check requests that the chunk is compared
// with its checksum.
func (v *state) fetchFrom(sp *span, buf []byte, i int, entry int64, check bool) (c fetched, err error) {
	if entry < 0 {
		if c.bytes, err = v.synthesize(buf, i, entry); err == nil {
			c.header, err = chunk.ParseHeader(c.bytes)
		}
		return c, err
	}
	var kept []byte
	if !check {
		kept = v.keptHead(entry)
	}
	c, err = v.fetchUnchecked(sp, buf, kept, i, entry)
	if err == nil && check {
		_, err = v.judge(entry, &c)
	}
	return c, err
}

// fetchUnchecked is fetchFrom for a stored chunk, without comparing its checksum. It does not read
// the head again if the caller passes it.
func (v *state) fetchUnchecked(sp *span, buf, head []byte, i int, entry int64) (c fetched, err error) {
	brief := sp.brief
	ctx := sp.ctx
	if *sp, err = v.openChunk(entry); err != nil {
		return c, err
	}

	if sp.brief = brief; ctx != nil {
		sp.ctx = ctx
	}
	if o, ok := sp.File.(*bucket.Object); ok && head == nil {
		if head, err = o.Start(sp.ctx, buf, v.start()); err != nil {
			return c, err
		}
		sp.total.Add(int64(len(head)))
		buf = head
		sp.limit = o.Bytes()
	} else if head == nil {
		if c, ok := v.fetchGuessed(buf, v.guess(i, entry, *sp), sp); ok {
			return c, nil
		}
	}

	// The header tells how long the chunk is.
	least := min(chunk.HeaderSize, sp.limit)
	raw := sp.lend(least)
	if c.lent = raw != nil; !c.lent {
		if raw, err = sp.more(append(buf[:0], head...), 0, least); err != nil {
			return fetched{}, wire.Missing(err, "chunk", 0)
		}
	}

	if c.header, err = v.parseHeader(raw, *sp); err != nil {
		return fetched{}, err
	}
	size := int64(c.header.CBytes)
	n := min(size+format.FooterSize, sp.limit)
	if c.lent {
		if raw = sp.lend(n); raw == nil {
			// In memory, a footer can be apart from its chunk.
			if raw = sp.lend(size); raw != nil {
				sp.total.Add(n)
				c.cut(raw)
				c.behind, err = wire.ReadFull(sp.File, nil, sp.at+size, n-size)
				return c, wire.Missing(err, "chunk", size)
			}
			raw = buf[:0]
			c.lent = false
		}
	}

	if !c.lent {
		if raw, err = sp.more(raw[:min(int64(len(raw)), n)], 0, n); err != nil {
			return fetched{}, wire.Missing(err, "chunk", 0)
		}
	} else {
		sp.total.Add(n)
	}
	c.cut(raw)
	return c, nil
}

// fetchGuessed reads n bytes and returns the chunk at the beginning of sp if it fits into them.
// That saves a separate read of the header. It reports false for any error; the caller then reads
// the header first, which finds the cause.
func (v *state) fetchGuessed(buf []byte, n int64, sp *span) (c fetched, ok bool) {
	if n < chunk.HeaderSize {
		return c, false
	}
	raw := sp.lend(n)
	if c.lent = raw != nil; !c.lent {
		most := int64(maxGuess)
		if _, far := sp.File.(manyReader); far {
			most = farStep
		}
		if n > most {
			return c, false
		}
		var err error
		if raw, err = sp.read(buf, n); err != nil {
			return c, false
		}
	}

	var err error
	c.header, err = v.parseHeader(raw, *sp)
	size := int64(c.header.CBytes)
	if err != nil || size > n || v.mayHaveFooter() && size > n-format.FooterSize && n < sp.limit {
		return c, false
	}

	if c.lent {
		sp.total.Add(n)
	}
	c.cut(raw)
	return c, true
}

// maxGuess is the most bytes that fetchGuessed reads. Dead bytes between chunks would be read in
// vain, and for larger chunks a second system call does not matter, unlike a second request.
const maxGuess = 64 << 10

// guess returns an upper bound of the size of a chunk: up to the next chunk, or to the end of its
// own file. It returns 0 if none is known.
func (v *state) guess(i int, entry int64, sp span) int64 {
	next := i + 1
	if sp.Owned || next >= v.index.Len() {
		return sp.limit
	}
	if next%index.BlockLen == 0 {
		return 0 // the next entry is in another block of the index, which may not be decoded yet
	}
	e, err := v.entryAt(next)
	if err != nil || e <= entry {
		return 0
	}
	return min(sp.limit, e-entry)
}

// Lease is EncodedChunk for bytes that are used only until l is released. It also returns their
// header.
func (d *insideChunks) Lease(ctx context.Context, l *inside.Lease, buf []byte, i int) ([]byte, chunk.Header, error) {
	v := d.cur.Load().within(ctx)
	entry, err := v.entry(i)
	if err != nil {
		return nil, chunk.Header{}, err
	}
	c, err := v.lease(ctx, l, buf, i, entry, v.mustCheck(entry))
	return c.bytes, c.header, v.inChunk(i, entry, err)
}

// lease is Lease for an index entry. check requests that the chunk is compared with its checksum.
func (v *state) lease(
	ctx context.Context, l *inside.Lease, buf []byte, i int, entry int64, check bool,
) (fetched, error) {
	sp := span{brief: true, ctx: ctx}
	c, err := v.fetchFrom(&sp, buf, i, entry, check)
	*l = sp.Lease
	if err != nil {
		err = errors.Join(err, l.Release())
	}
	return c, err
}

// start returns how many bytes of a chunk's object to ask for.
func (v *state) start() int64 {
	n := int64(v.index.Len())
	most := min(mostStart, v.env.engine.Limits.MaxAlloc)
	return max(leastStart, min(max(v.live, 0)/max(n, 1)*3, most))
}

// Methods without a context can make requests too: for the index, and for the headers of chunks.
// state.ctx ends them with the call on whose behalf they are made.
