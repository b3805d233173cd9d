package ndarray

import (
	"github.com/cairn-go/cairn/internal/parallel"
)

// chunkCopies is how many times its size a chunk takes that is being made: its items, what they are
// encoded to, and as much again for what was stored before or while buffers grow.
const chunkCopies = 3

// spread says how a call that makes chunks uses its goroutines: on how many chunks at a time, as far as
// there is memory for them, and on how many blocks of each.
func (u *Untyped) spread(pieces int) (chunks, blocks int) {
	budget := parallel.Workers(u.workers)
	chunks = parallel.Within(u.memory, chunkCopies*u.part.ChunkSize, max(1, min(budget, pieces)))
	return chunks, budget / chunks
}
