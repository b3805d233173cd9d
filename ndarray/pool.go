package ndarray

import (
	"context"
	"sync"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// maxIdle is how many workers of an array idle at most. One takes a few KB.
const maxIdle = 32

// pool hands out workers. Each array has its own, so workers do not outlive the array, and arrays
// do not contend. Between calls a worker has no memory for chunks.
type pool struct {
	mu     sync.Mutex
	idle   []*worker
	plans  sync.Pool // of *boxPlan; workers refer to plans, so these cannot be on the stack
	chunks sync.Pool // of *chunkMemory; see memories
}

// chunkMemories is the memory that no worker of any array needs at the moment, so that an open
// array that idles takes little (docs/decisions/0006-pooled-workspaces.md).
var chunkMemories sync.Pool // of *chunkMemory

// boxMemories is the memory that no copy needs at the moment. It is apart because boxes are larger
// than chunks.
var boxMemories sync.Pool // of *chunkMemory, raw alone

// memories returns the pool for the workers of an array: its own if codecs or filters of the caller
// may see the memory.
func (p *pool) memories(of *core) *sync.Pool {
	if of.engine.Codecs != nil || of.engine.Filters != nil {
		return &p.chunks
	}
	return &chunkMemories
}

// A runner executes plans: it takes workers, and gives each of them chunks.
type runner struct {
	core
	pool pool
}

// A second goroutine takes some 10 µs to begin, more on a busy machine. So it must save much more:
// these are the bytes that one goroutine decodes in 100 to 250 µs.
const (
	aloneFast = 1 << 20 // with codecs that decode 4 GB/s and more
	aloneSlow = 128 << 10
)

// goroutines returns how many goroutines are to decode the blocks of a plan: one if there is too
// little work for a second, whatever the options allow.
func (r *runner) goroutines(ctx context.Context, plan grid.Plan) int {
	room := int64(aloneSlow)
	switch r.encode.Codec.ID() {
	case codecs.LZ4.ID(), codecs.BloscLZ.ID():
		room = aloneFast
	}

	w := r.pool.take()
	defer r.pool.release(w)
	pieces := plan.NumPieces()
	for i := range pieces {
		w.take(plan, i)
		blocks := int64(w.piece.Blocks())
		if pieces == 1 && blocks == 1 {
			return 1 // one block is not divided
		}
		room -= blocks * r.part.BlockSize
		if room < 0 {
			return parallel.WorkersIn(ctx, r.workers)
		}
	}
	return 1
}

// takeReaders returns workers to read a number of chunks of a state, for a number of goroutines.
// Those that are not needed for chunks work on blocks.
func (r *runner) takeReaders(ctx context.Context, at *state, pieces, budget int) ([]*worker, error) {
	chunks := min(max(budget, r.requests), pieces)
	return r.readyWorkers(ctx, at, chunks, max(1, budget/chunks), false)
}

// takeWriters returns workers to make a number of chunks, as takeReaders does.
func (r *runner) takeWriters(ctx context.Context, at *state, pieces int) ([]*worker, error) {
	chunks, blocks := r.divideWorkers(pieces)
	return r.readyWorkers(ctx, at, chunks, blocks, true)
}

// readyWorkers returns n workers for a state, each of which works on the given number of blocks at
// a time.
func (r *runner) readyWorkers(ctx context.Context, at *state, n, blocks int, write bool) ([]*worker, error) {
	at = r.within(ctx, at)
	workers := r.pool.get(n)
	for _, w := range workers {
		if err := r.ready(ctx, at, w, blocks, write); err != nil {
			r.pool.put(workers)
			return nil, err
		}
	}
	return workers, nil
}

// ready prepares a worker for a state.
func (r *runner) ready(ctx context.Context, at *state, w *worker, blocks int, write bool) error {
	w.core = &r.core
	w.at = at
	w.chunkMemory = takeMemory(r.pool.memories(w.core))
	return w.prepare(ctx, blocks, write)
}

// chunkCopies is how many times its size a chunk takes while it is made: its items, their encoded
// form, and as much again for the old chunk or while buffers grow.
const chunkCopies = 3

// divideWorkers says how a call that makes chunks uses its goroutines: on how many chunks at a
// time, given the memory for them, and on how many blocks of each.
func (c *core) divideWorkers(pieces int) (chunks, blocks int) {
	budget := parallel.Workers(c.workers)
	chunks = parallel.Within(c.memory, chunkCopies*c.part.ChunkSize, max(1, min(budget, pieces)))
	return chunks, budget / chunks
}

// get returns n workers, idle ones first.
func (p *pool) get(n int) []*worker {
	workers := make([]*worker, n)
	p.mu.Lock()
	reused := copy(workers, p.idle[max(0, len(p.idle)-n):])
	p.idle = p.idle[:len(p.idle)-reused]
	p.mu.Unlock()

	for i := reused; i < n; i++ {
		workers[i] = &worker{}
	}
	return workers
}

// take returns one worker.
func (p *pool) take() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()

	n := len(p.idle)
	if n == 0 {
		return &worker{}
	}
	w := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return w
}

// put returns workers to the pool.
func (p *pool) put(workers []*worker) {
	for _, w := range workers {
		p.release(w)
	}
}

// release returns one worker to the pool.
func (p *pool) release(w *worker) {
	w.releaseLease()
	if w.core != nil {
		w.core.total.addTally(&w.tally)
	}
	if w.chunkMemory != nil {
		w.chunkMemory.release(p.memories(w.core))
		w.chunkMemory = nil
	}
	w.watch(context.Background())
	w.task = task{} // the caller's memory must not be kept alive or written later
	w.scratch.Reset()
	w.lookup.reset()

	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) < maxIdle {
		p.idle = append(p.idle, w)
	}
}

// clear releases the idle workers.
func (p *pool) clear() {
	p.mu.Lock()
	p.idle = nil
	p.mu.Unlock()
}
