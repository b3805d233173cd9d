package chunk

import (
	"sync"
)

// assembler closes the gaps between blocks that several workers encode, each in a place for its
// maximum size. A block can move once all blocks before it have moved. The worker that completes a
// block moves what can be moved, while the others continue to encode.
type assembler struct {
	encoder *Encoder
	plan    plan
	chunk   []byte // up to the first block; has capacity for all blocks at maximum size
	body    int    // offset of the first block
	limit   int    // maximum size of the chunk

	mu    sync.Mutex
	sizes []int // encoded sizes of blocks that have not been moved; -1 if not yet encoded
	next  int   // first block that has not been moved
	end   int   // end of the moved blocks
	total int   // size of the chunk if no further block were encoded
	busy  bool  // whether a worker is moving
}

// done records the size of an encoded block and moves blocks unless another worker is doing so. It
// fails if the chunk becomes too large.
func (m *assembler) done(block, size int) error {
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
		i := m.next
		n := m.sizes[m.next]
		to := m.end
		m.next = i + 1
		m.end = to + n
		m.mu.Unlock()

		m.encoder.putOffset(m.chunk, m.plan, i, to)
		// No block exceeds its place, so earlier blocks have left the target range.
		if from := m.body + m.plan.place(i); from != to {
			copy(m.chunk[to:to+n:cap(m.chunk)], m.chunk[from:from+n:cap(m.chunk)])
		}
		m.mu.Lock()
	}

	m.busy = false
	return nil
}
