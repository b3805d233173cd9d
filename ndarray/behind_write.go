package ndarray

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
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

// A demand is what a write wants of the memory that writes wait in.
type demand struct {
	met   int64 // bytes of the blocks that the write meets, whether they wait already or not
	more  int64 // bytes of those that do not wait yet
	whole bool  // whether the write has all of the chunks that it meets, which no later one could save
	few   bool  // whether met is so little that the write may wait
}

// demand returns what a write wants. With few, what else waits has room beside it in any case.
func (u *Untyped) demand(at *moment, plan plan) demand {
	p, most, pieces := at.part, u.behind.budget/2, plan.pieces()
	overhead := heldOverhead(p)
	if u.behind.direct > 0 || int64(pieces) > most/(overhead+p.BlockSize) ||
		p.ChunkSize > u.engine.Limits.MaxAlloc {
		return demand{}
	}
	workers := u.pool.take(1)
	defer u.pool.give(workers)
	d := demand{whole: true}
	for i := 0; i < pieces && d.met <= most; i++ {
		plan.take(workers[0], i)
		piece := &workers[0].piece
		d.whole = d.whole && piece.Whole
		d.met += overhead + int64(piece.Blocks())*p.BlockSize
		c := at.waiting(piece.Chunk)
		if c == nil {
			d.more += overhead + int64(piece.Blocks())*p.BlockSize
			continue
		}
		for k := range piece.Blocks() {
			if c.blocks[piece.Block(k)].data == nil {
				d.more += p.BlockSize
			}
		}
	}
	d.few = d.met <= most
	return d
}

// makeRoom flushes the chunks that wait for longest if what a write wants has no room beside them,
// and returns the state after that. The write may meet what is flushed, and have it wait again.
func (u *Untyped) makeRoom(ctx context.Context, at *moment, d demand) (*moment, error) {
	b := &u.behind
	if at.held.size()+d.more <= b.budget {
		return at, nil
	}
	if err := u.flushChunks(ctx, at.held.longest(at.part, b.budget*3/4-d.met)); err != nil {
		return nil, err
	}
	return u.underWrite()
}

// holding says how blocks are held.
type holding struct {
	grow  bool   // nobody has seen the items: see behind_grow.go
	fill  bool   // the source is one item, which much may be already
	mask  []bool // bytes of an item that the source has, or nil for all
	stamp uint64
}

// hold makes a write wait, of which d is the demand.
func (u *Untyped) hold(ctx context.Context, at *moment, plan plan, src []byte, d demand,
	how holding) error {
	at, err := u.makeRoom(ctx, at, d)
	if err != nil {
		return err
	}
	chunks, err := u.holdPieces(ctx, at, plan, src, how)
	if err != nil {
		return err
	}
	u.setHeld(at.held.with(at.part, chunks))
	return nil
}

// holdPieces returns the chunks that wait when what a plan has is in them. The caller holds
// writing.
func (u *Untyped) holdPieces(ctx context.Context, at *moment, plan plan, src []byte,
	how holding) ([]*heldChunk, error) {
	workers, err := u.takeWorkers(ctx, plan.pieces(), false)
	if err != nil {
		return nil, err
	}
	defer u.pool.give(workers)
	u.state.Lock()
	u.behind.stamp++
	how.stamp = u.behind.stamp
	u.state.Unlock()
	u.behind.ticks++
	chunks, progress := make([]*heldChunk, plan.pieces()), follow(ctx, int64(plan.pieces()))
	err = parallel.For(ctx, len(workers), plan.pieces(), func(i, piece int) (err error) {
		w := workers[i]
		plan.take(w, piece)
		if chunks[piece], err = w.hold(u, at, src, &how); err == nil {
			progress.add(1)
		}
		return err
	})
	chunks = slices.DeleteFunc(chunks, func(c *heldChunk) bool { return c == nil })
	for _, c := range chunks {
		c.tick = u.behind.ticks
	}
	return chunks, err
}

// underWrite returns the newest state for the write that is under way, which others do not see yet.
func (u *Untyped) underWrite() (*moment, error) {
	u.state.Lock()
	defer u.state.Unlock()
	return u.newest()
}

// hold returns what waits of the chunk at hand when the box is in it, nil for nothing. Blocks that
// the box does not have as a whole are copied, or decoded.
func (w *worker) hold(u *Untyped, at *moment, src []byte, how *holding) (*heldChunk, error) {
	c := at.waiting(w.piece.Chunk)
	if c == nil && how.fill {
		if same, err := w.repeats(u, at.view, src); same || err != nil {
			return nil, err
		}
	}
	if c == nil || !how.grow || !w.waits(c) {
		var missing int
		if c, missing = w.holdBlocks(u, c, how); missing > 0 {
			w.held = heldBlocks{c}
			if err := w.decodeMissing(u, at.view, &w.held, missing); err != nil {
				return nil, err
			}
		}
	}
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		if how.mask == nil {
			w.piece.Gather(c.blocks[b].data, b, src)
		} else {
			w.gatherMasked(c.blocks[b].data, b, src, how.mask)
		}
	}
	return c, nil
}

// waits reports whether all blocks that the box meets wait already.
func (w *worker) waits(c *heldChunk) bool {
	for k := range w.piece.Blocks() {
		if c.blocks[w.piece.Block(k)].data == nil {
			return false
		}
	}
	return true
}

// holdBlocks returns a chunk like old, which may be nil, with memory for the blocks that the box
// meets, and marks those that must be decoded, so many, as wanted.
func (w *worker) holdBlocks(u *Untyped, old *heldChunk, how *holding) (c *heldChunk, missing int) {
	p := u.part
	c = &heldChunk{number: w.piece.Chunk, blocks: make([]heldBlock, p.BlockCount)}
	if old != nil {
		copy(c.blocks, old.blocks)
		c.count = old.count
	}
	w.want = resize(w.want, int(p.BlockCount))
	clear(w.want)
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		before := c.blocks[b].data
		if before == nil {
			c.count++
		} else if how.grow {
			continue
		}
		data := make([]byte, p.BlockSize)
		switch {
		case how.mask == nil && w.piece.Covers(b):
		case before != nil:
			copy(data, before)
		default:
			w.want[b] = true
			missing++
		}
		c.blocks[b] = heldBlock{data, how.stamp}
	}
	return c, missing
}

// A places is a sink that has memory for every block that is wanted.
type places interface {
	chunk.BlockSink
	place(block int) []byte
}

// decodeMissing decodes the blocks that are wanted, so many in number, of the chunk at hand to where they belong.
func (w *worker) decodeMissing(u *Untyped, store *frame.Frame, to places, missing int) error {
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
