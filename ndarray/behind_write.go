package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// mostInPlace is how many bytes of blocks a write meets at most that readers which want to begin have to wait for.
const mostInPlace = 1 << 20

// overwrite does a small write that meets only blocks that wait and that nobody has seen yet, and reports whether it did.
func (u *Untyped) overwrite(ctx context.Context, part *grid.Partition, plan plan, src []byte) bool {
	if u.behind.budget == 0 || plan.pieces() != 1 || ctx.Err() != nil {
		return false
	}
	workers := u.pool.take(1)
	defer u.pool.give(workers)
	piece := &workers[0].piece
	plan.take(workers[0], 0)
	met := piece.Blocks()
	if int64(met) > max(1, mostInPlace/part.BlockSize) {
		return false
	}
	u.writing.Lock()
	defer u.writing.Unlock()
	u.state.Lock()
	defer u.state.Unlock()
	b := &u.behind
	if b.now == nil {
		return false
	}
	if at, err := u.newest(); err != nil || at.part != part {
		return false
	}
	c := b.now.chunk(piece.Chunk)
	if c == nil {
		return false
	}
	for k := range met {
		if block := &c.blocks[piece.Block(k)]; block.data == nil || block.stamp <= b.seen {
			return false
		}
	}
	for k := range met {
		i := piece.Block(k)
		piece.Gather(c.blocks[i].data, i, src)
	}
	b.ticks++
	c.tick = b.ticks
	return true
}

// mayWait returns how many bytes more would wait after a write, and whether it should: not if it is large, and not if it has all of the chunks that it meets, which no
// later write could save.
func (u *Untyped) mayWait(at *moment, plan plan) (int64, bool) {
	p, most, pieces := at.part, u.behind.budget/2, plan.pieces()
	overhead := heldOverhead(p)
	if u.behind.direct > 0 || overhead+p.BlockSize > most || int64(pieces) > most/(overhead+p.BlockSize) || p.ChunkSize > u.limits.MaxAlloc {
		return 0, false
	}
	workers := u.pool.take(1)
	defer u.pool.give(workers)
	more, whole := int64(0), true
	for i := 0; i < pieces && more <= most; i++ {
		plan.take(workers[0], i)
		piece := &workers[0].piece
		whole = whole && piece.Whole
		c := at.waiting(piece.Chunk)
		if c == nil {
			more += overhead + int64(piece.Blocks())*p.BlockSize
			continue
		}
		for k := range piece.Blocks() {
			if c.blocks[piece.Block(k)].data == nil {
				more += p.BlockSize
			}
		}
	}
	return more, !whole && more <= most
}

// hold makes a write wait. more is what mayWait said of it.
func (u *Untyped) hold(ctx context.Context, at *moment, plan plan, src []byte, more int64) error {
	if b := &u.behind; at.held.size()+more > b.budget {
		if err := u.flushChunks(ctx, at.held.longest(at.part, b.budget*3/4-more)); err != nil {
			return err
		}
		var err error
		if at, err = u.underWrite(); err != nil {
			return err
		}
	}
	workers, err := u.takeWorkers(ctx, plan.pieces(), false)
	if err != nil {
		return err
	}
	defer u.pool.give(workers)
	u.state.Lock()
	u.behind.stamp++
	stamp := u.behind.stamp
	u.state.Unlock()
	u.behind.ticks++
	chunks, progress := make([]*heldChunk, plan.pieces()), follow(ctx, int64(plan.pieces()))
	err = parallel.For(ctx, len(workers), plan.pieces(), func(i, piece int) (err error) {
		w := workers[i]
		plan.take(w, piece)
		if chunks[piece], err = w.hold(u, at, src, stamp); err == nil {
			progress.add(1)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range chunks {
		c.tick = u.behind.ticks
	}
	u.state.Lock()
	defer u.state.Unlock()
	u.behind.now = at.held.with(at.part, chunks)
	return nil
}

// underWrite returns the newest state for the write that is under way, which others do not see yet.
func (u *Untyped) underWrite() (*moment, error) {
	u.state.Lock()
	defer u.state.Unlock()
	return u.newest()
}

// hold returns what waits of the chunk at hand when the box is in it. Blocks that the box does not have as a whole are copied, or decoded.
func (w *worker) hold(u *Untyped, at *moment, src []byte, stamp uint64) (*heldChunk, error) {
	p := u.part
	c := &heldChunk{number: w.piece.Chunk, blocks: make([]heldBlock, p.BlockCount)}
	if old := at.waiting(c.number); old != nil {
		copy(c.blocks, old.blocks)
		c.count = old.count
	}
	w.want = resize(w.want, int(p.BlockCount))
	clear(w.want)
	missing, met := 0, w.piece.Blocks()
	for k := range met {
		b := w.piece.Block(k)
		old := c.blocks[b].data
		data := make([]byte, p.BlockSize)
		switch {
		case w.piece.Covers(b):
		case old != nil:
			copy(data, old)
		default:
			w.want[b] = true
			missing++
		}
		if old == nil {
			c.count++
		}
		c.blocks[b] = heldBlock{data, stamp}
	}
	if missing > 0 {
		w.held = heldBlocks{c}
		if err := w.decodeMissing(u, at.view, &w.held, missing); err != nil {
			return nil, err
		}
	}
	for k := range met {
		b := w.piece.Block(k)
		w.piece.Gather(c.blocks[b].data, b, src)
	}
	return c, nil
}

// A places is a sink that has memory for every block that is wanted.
type places interface {
	chunk.BlockSink
	place(block int) []byte
}

// decodeMissing decodes the blocks that are wanted, so many in number, of the chunk at hand to where they belong.
func (w *worker) decodeMissing(u *Untyped, store chunkStore, to places, missing int) error {
	if info, ok := w.few(u, store, missing); ok {
		return w.decodeStored(store, &info, w.want, to)
	}
	src, h, err := w.fetch(u, store)
	if err != nil {
		return err
	}
	if int64(h.Layout().BlockSize) == u.part.BlockSize {
		return w.inChunk(u, store, w.decodeBlocks(&h, src, w.want, to))
	}
	if err := w.decodeRaw(u, store, &h, src); err != nil {
		return err
	}
	for b, wanted := range w.want {
		if wanted {
			copy(to.place(b), w.raw[int64(b)*u.part.BlockSize:][:u.part.BlockSize])
		}
	}
	return nil
}

// heldBlocks are the blocks of a chunk that wait, for others to be decoded among them and for encoding.
type heldBlocks struct{ chunk *heldChunk }

// Dst returns where a block is to be decoded.
func (s *heldBlocks) Dst(index, size int) []byte { return s.chunk.blocks[index].data[:size] }

// Put has nothing to do: every block has a place.
func (s *heldBlocks) Put(int, []byte) {}

func (s *heldBlocks) place(block int) []byte { return s.chunk.blocks[block].data }

// Block returns a block that waits.
func (s *heldBlocks) Block(scratch []byte, index int) []byte {
	return s.chunk.blocks[index].data[:len(scratch)]
}
