package ndarray

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cairn-go/cairn/internal/grid"
)

// Small writes to an array wait in memory, as decoded blocks that stand before those of the frame.
// Many of them to one chunk then cost one encoding of the blocks that they met, when the chunk is
// flushed: put into the frame, which is what staging is for large writes. Everything that looks at
// the frame flushes first (enter, flushMet); reads and writes of items, which know what waits, do
// not (enterHeld, beginHeld). A shape that grew waits too: see behind_grow.go.

// defaultBehind is how many bytes may wait where nobody says: the open ends of most arrays, and
// little beside what encoding takes.
const defaultBufferBytes = 16 << 20

// behindBytes returns how many bytes may wait in a handle that can write, of which options ask for
// a number.
func bufferBytes(asked int64) int64 {
	if asked <= 0 {
		return defaultBufferBytes
	}
	return asked
}

// behind is what an array knows of the writes that wait. The mutex state protects now, seen and
// stamp, and writing the rest; begin.go says how they go together.
type writeBuffer struct {
	budget  int64          // bytes that may wait; 0 means that nothing does
	pending *pendingWrites // what waits, or nil
	seen    uint64         // what stamp was when the last read began
	stamp   uint64         // of the newest write that held something back
	ticks   uint64         // counts writes, for who waits longest
	pinned  bool           // whether one call of frame.Lock is kept for what waits
	spare   sync.Pool      // of *[]byte, memory for blocks; see recycle

	suspended int  // calls of Atomically that are about to begin: nothing may wait until they have
	atomic    bool // whether one is under way
}

// held is what waits at one moment. It never changes, but for blocks that no reader can have.
type pendingWrites struct {
	// of a shape that the frame does not have yet, in the same grid of chunks; or nil
	part   *grid.Partition
	chunks []*pendingChunk // by number
	bytes  int64
}

// heldChunk is a chunk of which some blocks wait.
type pendingChunk struct {
	number int64
	blocks []pendingBlock // by number; those without data are as in the frame
	count  int            // of blocks that wait
	tick   uint64         // of the last write to it
}

type pendingBlock struct {
	data  []byte
	stamp uint64
}

// What the structures take on a machine of 64 bits, which counts on all, so that the same writes
// give the same file everywhere.
const (
	pendingBlockBytes = 32
	pendingChunkBytes = 64
)

// heldOverhead returns what a chunk costs besides its blocks.
func pendingOverhead(p *grid.Partition) int64 {
	return pendingChunkBytes + p.BlockCount*pendingBlockBytes
}

// bytes returns what a chunk costs.
func (c *pendingChunk) bytes(p *grid.Partition) int64 {
	return pendingOverhead(p) + int64(c.count)*p.BlockSize
}

// chunk returns what waits of a chunk, or nil.
func (h *pendingWrites) chunk(number int64) *pendingChunk {
	if h == nil {
		return nil
	}
	if i, ok := h.find(number); ok {
		return h.chunks[i]
	}
	return nil
}

func (h *pendingWrites) find(number int64) (int, bool) {
	return slices.BinarySearchFunc(h.chunks, number, func(c *pendingChunk,
		n int64) int {
		return cmp.Compare(c.number, n)
	})
}

// size returns the bytes that wait.
func (h *pendingWrites) size() int64 {
	if h == nil {
		return 0
	}
	return h.bytes
}

// with returns h with newer versions of some chunks.
func (h *pendingWrites) with(p *grid.Partition, newer []*pendingChunk) *pendingWrites {
	next := &pendingWrites{}
	if h != nil {
		*next = *h
		if h.has(newer) {
			return next
		}
		next.chunks = append(make([]*pendingChunk, 0, len(h.chunks)+len(newer)), h.chunks...)
	}
	for _, c := range newer {
		i, ok := next.find(c.number)
		if ok {
			next.bytes -= next.chunks[i].bytes(p)
			next.chunks[i] = c
		} else {
			next.chunks = slices.Insert(next.chunks, i, c)
		}
		next.bytes += c.bytes(p)
	}
	return next
}

// has reports whether all of these chunks are in h, as they are.
func (h *pendingWrites) has(chunks []*pendingChunk) bool {
	return !slices.ContainsFunc(chunks, func(c *pendingChunk) bool { return h.chunk(c.number) != c })
}

// without returns h less some of its chunks, nil if all of them go, and the shape with them.
func (h *pendingWrites) without(p *grid.Partition, gone []*pendingChunk) *pendingWrites {
	if len(gone) == len(h.chunks) {
		return nil
	}
	next := &pendingWrites{part: h.part}
	for _, c := range h.chunks {
		if !slices.Contains(gone, c) {
			next.chunks = append(next.chunks, c)
			next.bytes += c.bytes(p)
		}
	}
	return next
}

// longest returns the chunks that wait longest, in the order of their numbers: as many as have to
// go so that at most limit bytes wait.
func (h *pendingWrites) oldest(p *grid.Partition, limit int64) []*pendingChunk {
	chunks := slices.Clone(h.chunks)
	slices.SortFunc(chunks, func(a, b *pendingChunk) int {
		return cmp.Or(cmp.Compare(a.tick, b.tick),
			cmp.Compare(a.number, b.number))
	})
	n, left := 0, h.bytes
	for ; n < len(chunks) && left > limit; n++ {
		left -= chunks[n].bytes(p)
	}
	chunks = chunks[:n]
	slices.SortFunc(chunks, func(a, b *pendingChunk) int { return cmp.Compare(a.number, b.number) })
	return chunks
}

// goBack drops what waits together with what back drops of the frame, unless that fails. The caller
// holds writing.
func (u *Untyped) dropPending(back func() error) error {
	if u.buffer.pending == nil {
		return back()
	}
	_, _ = u.newestState(true) // readers must not see what waits over something older
	waiting, gone := u.buffer.pending, false
	u.setPending(nil) // or the frame would ask for it
	defer func() {
		if !gone {
			u.setPending(waiting)
		}
		u.endDrop()
	}()
	if err := back(); err != nil {
		return err
	}
	gone = true
	return u.unpin()
}

// unpin gives back the call of frame.Lock that was kept for what waits. The caller holds writing.
func (u *Untyped) unpin() error {
	if !u.buffer.pinned {
		return nil
	}
	u.buffer.pinned = false
	return u.frame.Unlock()
}

// waitNoMore flushes what waits and makes all writes go to the frame until waitAgain is called, so
// that the state that Atomically goes back to is the frame's.
func (u *Untyped) suspendBuffer(ctx context.Context) error {
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	err := u.flush(ctx)
	if err == nil {
		u.buffer.suspended++
	}
	return err
}

// waitAgain ends waitNoMore, as Atomically has begun or will not.
func (u *Untyped) resumeBuffer(begun bool) {
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	u.buffer.suspended--
	u.buffer.atomic = u.buffer.atomic || begun
}

// flushOrDrop ends Atomically: what waits is flushed, or dropped if that fails or if the frame is
// going to drop what is staged. The caller holds writing, and calls endDrop when the frame has.
func (u *Untyped) flushOrDrop(ctx context.Context, keep bool) error {
	var err error
	if keep {
		err = u.flush(ctx)
	}
	if u.buffer.pending == nil {
		return err
	}
	_, _ = u.newestState(true) // an error says that nothing can be read anyway
	u.setPending(nil)
	return errors.Join(err, u.unpin())
}

func (u *Untyped) endDrop() {
	u.stateMu.Lock()
	defer u.stateMu.Unlock()
	u.stable = nil
}

// setHeld makes h what waits.
func (u *Untyped) setPending(h *pendingWrites) {
	u.stateMu.Lock()
	defer u.stateMu.Unlock()
	u.buffer.pending = h
}
