package chunked

import (
	"context"
	"errors"

	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/grid"
)

// A format that decodes parts of chunks takes about a quarter of the work for a part, and less for
// a few items. A chunk is kept when reads of parts have taken a quarter, or if the next box of a
// loop needs it too. Of a chunk that is not encoded, a part is as much work as the bytes from its
// first item to its last.
const (
	partWork  = 4
	itemsWork = 16
	fewItems  = 64 // of so many items in a chunk
)

// kept puts the items of a piece into their places if the cache has its chunk, or should have it
// from now on. Of a whole chunk it only looks, for that is decoded where it has to go.
func (c *Call[W]) kept(ctx context.Context, w *worker[W], j *Job) (done bool, err error) {
	r := c.of
	if r.Keep == nil || j.Place.Loose {
		return false, nil
	}

	k := r.key(j.Piece.Chunk, &j.Place)
	if e := r.Keep.Get(k); e != nil {
		j.Piece.Scatter(j.Dst, 0, e.Data)
		e.Release()
		return true, nil
	}

	if j.Piece.Whole || j.number >= c.most || j.Place.Size > r.Most || !c.worth(k, j) {
		return false, nil
	}

	for again := true; again; {
		done, again, err = c.keep(ctx, w, j, k)
	}
	return done, err
}

// keep copies the items of a piece from the cache, after the chunk has been decoded there, by this
// goroutine or another. It reports again if that other one has given up.
func (c *Call[W]) keep(ctx context.Context, w *worker[W], j *Job, k decoded.Key) (done, again bool, err error) {
	e, lead := c.of.Keep.Begin(k, j.size)
	if e == nil {
		return false, false, nil // there is no room
	}
	defer e.Release()

	if lead {
		done, err = c.fill(ctx, w, j, e)
	} else {
		done, again, err = e.Wait(ctx)
	}
	if done {
		j.Piece.Scatter(j.Dst, 0, e.Data)
	}
	return done, again, err
}

// key returns what identifies the content of a chunk. In a file, chunks that are at other places
// are others.
func (r *Reader[W]) key(chunk int64, p *Place) decoded.Key {
	return decoded.Key{Array: r.Array, Chunk: chunk, Version: p.Version + uint64(p.Off)*0x9e37_79b9_7f4a_7c15}
}

// worth reports whether decoding all of a chunk is better than decoding the part that is needed. It
// counts what that takes, for the parts that are read later.
func (c *Call[W]) worth(k decoded.Key, j *Job) bool {
	r := c.of
	if !r.Parts && !j.Place.Plain {
		return true // a part takes as much
	}

	bytes := r.Part.ItemSize
	start, stop := j.Within()
	for d := range start {
		bytes *= stop[d] - start[d]
	}

	work := j.size / partWork
	enough := work
	switch {
	case j.Place.Plain:
		from, to := j.Piece.Span(0)
		if work = int64(to - from); work/partWork < bytes {
			return false // little is read in vain
		}
		enough = j.size
	case bytes < j.size/fewItems:
		work = j.size / itemsWork
	}
	return c.follows.More(j.Piece.Piece.(*grid.BoxPiece)) || r.Keep.Worth(k, work, enough)
}

var errPanic = errors.New("the decoder has panicked")

// fill decodes a whole chunk into the cache. It reports false for one that cannot be decoded: then
// reading the piece by itself either succeeds or says why not.
func (c *Call[W]) fill(ctx context.Context, w *worker[W], j *Job, e *decoded.Entry) (bool, error) {
	verdict := errPanic
	defer func() { e.Done(ctx, verdict) }()

	direct := j.direct
	j.direct = e.Data
	j.Piece.Whole = true
	items, err := c.read(ctx, w, j, true)
	j.direct = direct
	j.Piece.Whole = false

	verdict = err
	switch {
	case err == nil && len(items) > 0 && &items[0] != &e.Data[0]:
		copy(e.Data, items)
	case err != nil && ctx.Err() != nil:
		return false, err
	}
	return err == nil, nil
}
