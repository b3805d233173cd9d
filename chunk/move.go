package chunk

import (
	"slices"
	"sync"
)

// mover brings together the blocks of a chunk that several workers encode, each with gaps around it
// for the worst case. A block moves as soon as all before it have, by the hand of the worker that
// notices; the others go on encoding.
type mover struct {
	encoder *Encoder
	plan    plan
	chunk   []byte // what is in place of it, with room behind for all blocks at their most
	body    int    // where the first block is
	limit   int    // bytes of the chunk at most

	mu    sync.Mutex
	sizes []int // encoded, of blocks that wait for their turn; -1 for those not encoded yet
	next  int   // first block that has not been moved
	end   int   // of those that have
	total int   // the end, if no more blocks came than are encoded now
	busy  bool  // whether a worker is moving
}

func (m *mover) begin(e *Encoder, chunk []byte, p plan, limit int) {
	m.encoder, m.plan, m.chunk, m.body, m.limit = e, p, chunk, len(chunk), limit
	m.sizes = slices.Grow(m.sizes[:0], p.layout.NumBlocks)[:p.layout.NumBlocks]
	for i := range m.sizes {
		m.sizes[i] = -1
	}
	m.next, m.end, m.total, m.busy = 0, len(chunk), len(chunk), false
}

// done notes the size of an encoded block and moves what can be moved, unless another worker is at
// it already. It fails when the chunk is too large.
func (m *mover) done(block, size int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sizes[block] = size
	m.total += size
	if m.total > m.limit {
		return errTooLarge
	}
	if m.busy {
		return nil
	}
	m.busy = true
	for m.next < len(m.sizes) && m.sizes[m.next] >= 0 {
		i, n, to := m.next, m.sizes[m.next], m.end
		m.next, m.end = i+1, to+n
		m.mu.Unlock()
		m.encoder.putOffset(m.chunk, m.plan, i, to)
		// Blocks before this one have left its way: no block takes more than its place.
		if from := m.body + m.plan.place(i); from != to {
			copy(m.chunk[to:to+n:cap(m.chunk)], m.chunk[from:from+n:cap(m.chunk)])
		}
		m.mu.Lock()
	}
	m.busy = false
	return nil
}
