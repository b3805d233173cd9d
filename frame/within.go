package frame

import (
	"context"

	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/index"
)

// Methods without a context can make requests too: for the index, and for the headers of chunks.
// state.ctx ends them with the call on whose behalf they are made.

// within returns v with a context that ends all its requests, if it is read by requests.
func (v *state) within(ctx context.Context) *state {
	if ctx == nil || v.requests() == 0 {
		return v
	}
	w := *v
	w.ctx = ctx
	return &w
}

// Within returns a snapshot whose requests end with ctx.
func (d *insideChunks) Within(ctx context.Context) *Snapshot {
	v := d.cur.Load()
	if v.requests() == 0 {
		return v.snapshot()
	}
	return newSnapshot(v.within(ctx))
}

// requests returns how many requests for chunks are in flight at most, or 0 if there are none.
func (v *state) requests() int { return v.source.book().requests }

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
