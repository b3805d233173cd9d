package chunked

import (
	"context"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
)

// A Far is a file that may be read by requests.
type Far interface {
	Requests() int // that it serves at a time; 0 if it is not read by requests
	// Load fetches n bytes from an offset on, and keeps them until release is called.
	Load(ctx context.Context, off, n int64) (release func(), err error)
}

// located is how many chunks of a far file are looked up before they are read.
const located = 4096

// far reads all pieces, some at a time.
func (c *Call[W]) far(ctx context.Context) error {
	for first := 0; first < c.box.Pieces; first += located {
		places := make([]Place, min(located, c.box.Pieces-first))
		if err := c.farBatch(ctx, first, places); err != nil {
			return err
		}
	}
	return nil
}

// farBatch looks some chunks up, and has what they need loaded ahead of the workers: nothing for
// those that the cache has.
func (c *Call[W]) farBatch(ctx context.Context, first int, places []Place) error {
	defer func() {
		for _, p := range places {
			if p.kept != nil {
				p.kept.Release()
			}
		}
	}()

	var scratch grid.Scratch
	for i := range places {
		chunk := c.box.Take(first+i, &scratch).Chunk
		place, err := c.format.Locate(ctx, chunk)
		if err != nil {
			return c.named(chunk, err)
		}

		if place.Source != nil && !place.Loose {
			place.kept = c.of.Keep.Get(c.of.key(chunk, &place))
		}
		places[i] = place
	}
	return c.farSome(ctx, first, places)
}

// farSome reads the pieces from a number on, whose chunks are at places.
func (c *Call[W]) farSome(ctx context.Context, first int, places []Place) error {
	groups := readahead.Groups(func(yield func(off, n int64) bool) {
		for _, p := range places {
			off := p.Off
			n := p.Size
			switch {
			case p.Source == nil || p.kept != nil:
				off = 0
				n = 0
			case n > readahead.Memory:
				n = -1 // it reads for itself
			}
			if !yield(off, n) {
				return
			}
		}
	})

	file := c.of.Far
	ahead := readahead.New(ctx, groups, file.Requests(), readahead.Memory,
		func(ctx context.Context, g readahead.Group) (func(), error) {
			return file.Load(ctx, g.Off, g.End-g.Off)
		})
	defer ahead.Close()

	workers := max(file.Requests(), parallel.WorkersIn(ctx, c.of.Workers))
	return c.each(ctx, workers, len(places), func(k, i int) error {
		defer ahead.End(i)
		if err := ahead.Begin(i); err != nil {
			return err
		}
		w := c.workers[k]
		piece := c.box.Take(first+i, &w.scratch)
		w.job.number = first + i
		return c.named(piece.Chunk, c.load(ctx, w, piece, places[i]))
	})
}
