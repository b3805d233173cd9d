package chunked

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// load puts the items of a piece into their places.
func (c *Call[W]) load(ctx context.Context, w *worker[W], piece grid.ChunkPiece, place Place) (err error) {
	if place.Close != nil {
		defer func() { err = errors.Join(err, place.Close()) }()
	}
	if place.Source == nil {
		piece.Fill(c.dst, c.of.Fill)
		return nil
	}

	j := &w.job
	j.Box = &c.box
	j.Dst = c.dst
	j.Piece = piece
	j.Place = place
	j.direct = piece.Direct(c.dst, 0)
	j.size = c.of.Part.ChunkSize

	if done, err := c.kept(ctx, w, j); done || err != nil {
		return err
	}
	items, err := c.read(ctx, w, j, false)
	if err != nil {
		return err
	}

	switch {
	case len(items) == 0: // they are in their places
	case j.direct == nil:
		piece.Scatter(c.dst, 0, items)
	case &items[0] != &j.direct[0]:
		copy(j.direct, items)
	}
	return nil
}

// A box of at most copiedBytes in at most copiedPieces takes one goroutine, while it finds decoded
// chunks or reads at most plainBytes of a chunk that is not encoded: another one would begin when
// that has been done.
const (
	copiedBytes  = 256 << 10
	copiedPieces = 32
	plainBytes   = 128 << 10
)

// copied puts the items of the first pieces into their places, as long as there is nothing to
// decode. It returns how many pieces that were, and where the chunk of the next one is stored if it
// has looked that up.
func (c *Call[W]) copied(ctx context.Context) (done int, next Place, found bool, err error) {
	few := len(c.dst) <= copiedBytes && c.box.Pieces <= copiedPieces
	if !few || c.box.Pieces < 2 || parallel.WorkersIn(ctx, c.of.Workers) < 2 {
		return 0, next, false, nil
	}
	if err := c.hire(1); err != nil {
		return 0, next, false, err
	}

	w := c.workers[0]
	for ; done < c.box.Pieces; done++ {
		if err := ctx.Err(); err != nil {
			return done, next, false, err
		}
		piece := c.box.Take(done, &w.scratch)
		w.job.number = done
		place, err := c.format.Locate(ctx, piece.Chunk)
		if err != nil {
			return done, next, false, c.named(piece.Chunk, err)
		}

		if !c.little(piece, &place) {
			return done, place, true, nil
		}
		if err := c.load(ctx, w, piece, place); err != nil {
			return done, next, false, c.named(piece.Chunk, err)
		}
	}
	return done, next, false, nil
}

// little reports whether a piece takes little more than copying its items.
func (c *Call[W]) little(piece grid.ChunkPiece, place *Place) bool {
	if place.Source == nil {
		return true
	}
	if !place.Loose {
		if e := c.of.Keep.Get(c.of.key(piece.Chunk, place)); e != nil {
			e.Release()
			return true
		}
	}
	from, to := piece.Span(0)
	return place.Plain && to-from <= plainBytes
}

// read returns the items of a chunk: all of them, or at least those of the piece.
func (c *Call[W]) read(ctx context.Context, w *worker[W], j *Job, all bool) ([]byte, error) {
	if j.Place.Plain {
		return j.plain(ctx, all)
	}
	return c.decode(ctx, w, j)
}

// plain reads items of a chunk that is not encoded. Without all, it reads nothing behind those of
// the piece: a chunk at the edge of the array may end there.
func (j *Job) plain(ctx context.Context, all bool) ([]byte, error) {
	if j.Place.Size != j.size {
		return nil, cairn.Corruptf("chunk", -1, "%d bytes, want %d", j.Place.Size, j.size)
	}

	items := j.Items()
	from := 0
	to := len(items)
	if !all {
		from, to = j.Piece.Span(0)
	}
	return items, j.Place.Source.ReadAt(ctx, items[from:to], j.Place.Off+int64(from))
}

// decode reads and decodes a chunk, or the part that a piece needs.
func (c *Call[W]) decode(ctx context.Context, w *worker[W], j *Job) ([]byte, error) {
	place := j.Place
	if place.Size > c.of.Most {
		return nil, fmt.Errorf("%d bytes, the most is %d: %w", place.Size, c.of.Most, cairn.ErrLimit)
	}

	var head []byte
	if p, ok := c.format.(Parter[W]); ok && !j.Piece.Whole {
		done, begun, err := p.Part(ctx, w.with, j)
		if done || err != nil {
			return nil, err
		}
		head = begun
	}

	w.raw = slab.Resize(w.raw, place.Size)
	have := copy(w.raw, head)
	if err := place.Source.ReadAt(ctx, w.raw[have:], place.Off+int64(have)); err != nil {
		return nil, err
	}
	return c.format.Decode(w.with, j, w.raw)
}
