package ndarray

import (
	"context"
	"iter"
	"math"
	"time"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
)

// readFar is readPlan for a file that is read by requests. Chunks that are fetched as a whole are
// loaded ahead. There are as many goroutines as requests, because others wait for requests of their
// own.
func (r *runner) readFar(ctx context.Context, at *state, plan grid.Plan, memory []byte) error {
	keep := r.keeping(plan)
	pieces := plan.NumPieces()
	workers, err := r.takeReaders(ctx, at, pieces, parallel.WorkersIn(ctx, r.workers))
	if err != nil {
		return err
	}
	defer r.pool.put(workers)

	var scratch grid.Scratch
	ahead := r.loadAhead(ctx, at, func(yield func(off, n int64) bool) {
		for i := range pieces {
			if !yield(r.wholeExtent(at, plan.Take(i, &scratch))) {
				return
			}
		}
	})
	defer ahead.Close()

	progress := startProgress(ctx, int64(pieces))
	return parallel.For(ctx, len(workers), pieces, func(i, piece int) error {
		w := workers[i]
		return w.withAhead(ahead, piece, func() error {
			w.cache = keep
			w.take(plan, piece)
			if err := w.read(memory); err != nil {
				return err
			}
			progress.add(1)
			return nil
		})
	})
}

// loadAhead starts loading extents of the file ahead of the workers, or returns nil if there are
// none.
func (c *core) loadAhead(ctx context.Context, at *state, extents iter.Seq2[int64, int64]) *readahead.Reader {
	return readahead.New(ctx, readahead.Groups(extents), c.requests, readahead.Memory,
		func(ctx context.Context, g readahead.Group) (func(), error) {
			release, err := at.view.Inside().Load(ctx, g.Off, g.End-g.Off)
			return release, c.inArray(err)
		})
}

// withAhead calls do once the bytes of a job are loaded.
func (w *worker) withAhead(ahead *readahead.Reader, job int, do func() error) error {
	if ahead == nil {
		return do()
	}

	defer ahead.End(job)
	began := time.Now()
	err := ahead.Begin(job)
	w.tally.ReadTime += time.Since(began)
	if err != nil {
		return err
	}
	return do()
}

// wholeExtent returns the extent of the chunk of a piece if it is fetched as a whole: because all
// of it is needed, or compared with its checksum, or because it is so small that a second request
// would cost more. Otherwise n is negative.
func (c *core) wholeExtent(at *state, piece grid.ChunkPiece) (off, n int64) {
	if c.hasAll(at, piece) {
		return 0, -1
	}

	off, n = c.chunkExtent(at, piece.Chunk)
	if n > readahead.Gap && int64(piece.Blocks()) < at.part.BlockCount &&
		!at.view.Inside().MustCheck(int(piece.Chunk)) {
		return 0, -1
	}
	return off, n
}

// hasAll reports whether the cache has all blocks of a piece.
func (c *core) hasAll(at *state, piece grid.ChunkPiece) bool {
	if c.keep.Empty() {
		return false
	}
	id, ok := at.view.Inside().Key(int(piece.Chunk))
	if !ok {
		return false
	}

	for k := range piece.Blocks() {
		e := c.keep.Get(keyOf(id, piece.Block(k)))
		if e == nil {
			return false
		}
		e.Release()
	}
	return true
}

// chunkExtent returns the extent of a chunk if it can be loaded: n is negative if the chunk does
// not exist, or if its extent is unknown or larger than a chunk can be.
func (c *core) chunkExtent(at *state, number int64) (off, n int64) {
	if number < 0 || number >= int64(at.view.NumChunks()) {
		return 0, -1
	}

	off, n = at.view.Inside().Extent(int(number))
	most := min(at.part.ChunkSize, math.MaxInt64-readahead.Gap) + readahead.Gap
	if n > min(most, readahead.Memory, c.engine.Limits.MaxAlloc) {
		return 0, -1
	}
	return off, n
}
