package ndarray

import (
	"context"
	"sync"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/parallel"
)

// keepBytes is the most memory for chunks that idles in one piece.
const keepBytes = 64 << 20

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

// chunkMemory is memory of about the size of a chunk each.
type chunkMemory struct {
	encoded []byte // of a chunk, as stored
	out     []byte // of a chunk, to be stored
	raw     []byte // of a chunk, decoded, or of a box that is copied
}

func takeMemory(from *sync.Pool) *chunkMemory {
	if m, _ := from.Get().(*chunkMemory); m != nil {
		return m
	}
	return &chunkMemory{}
}

// release lends the memory to others, unless it is too much to idle.
func (m *chunkMemory) release(to *sync.Pool) {
	if cap(m.encoded)+cap(m.out)+cap(m.raw) <= keepBytes {
		to.Put(m)
	}
}

// chunkMemories is the memory that no worker of any array needs at the moment, so that an open
// array that idles takes little (docs/decisions/0006-pooled-workspaces.md).
var chunkMemories sync.Pool // of *chunkMemory

// boxMemories is the memory that no copy needs at the moment. It is apart because boxes are larger
// than chunks.
var boxMemories sync.Pool // of *chunkMemory, raw alone

// memories returns the pool for the workers of an array: its own if codecs or filters of the caller
// may see the memory.
func (p *pool) memories(of *handleCore) *sync.Pool {
	if of.engine.Codecs != nil || of.engine.Filters != nil {
		return &p.chunks
	}
	return &chunkMemories
}

// takeWorkers returns workers for a number of chunks of a state. Goroutines that are not needed for
// chunks work on blocks.
func (u *Untyped) takeWorkers(ctx context.Context, at *state, pieces int, write bool) ([]*worker, error) {
	budget := parallel.WorkersIn(ctx, u.workers)
	chunks, blocks := min(max(budget, u.requests), pieces), 1
	if write {
		chunks, blocks = u.divideWorkers(pieces)
	} else {
		blocks = max(1, budget/chunks)
	}
	return u.readyWorkers(ctx, at, chunks, blocks, write)
}

// readyWorkers returns n workers for a state, each of which works on the given number of blocks at
// a time.
func (u *Untyped) readyWorkers(ctx context.Context, at *state, n, blocks int, write bool) ([]*worker, error) {
	at = u.within(ctx, at)
	workers := u.pool.get(n)
	for _, w := range workers {
		if err := u.ready(ctx, at, w, blocks, write); err != nil {
			u.pool.put(workers)
			return nil, err
		}
	}
	return workers, nil
}

// ready prepares a worker for a state.
func (u *Untyped) ready(ctx context.Context, at *state, w *worker, blocks int, write bool) error {
	w.array, w.at = &u.handleCore, at
	w.chunkMemory = takeMemory(u.pool.memories(w.array))
	return w.prepare(ctx, blocks, write)
}

// chunkCopies is how many times its size a chunk takes while it is made: its items, their encoded
// form, and as much again for the old chunk or while buffers grow.
const chunkCopies = 3

// divideWorkers says how a call that makes chunks uses its goroutines: on how many chunks at a
// time, given the memory for them, and on how many blocks of each.
func (u *Untyped) divideWorkers(pieces int) (chunks, blocks int) {
	budget := parallel.Workers(u.workers)
	chunks = parallel.Within(u.memory, chunkCopies*u.part.ChunkSize, max(1, min(budget, pieces)))
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

// engines are a worker's decoders and encoders, created when first needed. The index is the number
// of goroutines that may work on the blocks of one chunk, less one. That number is 1 if other
// workers have the other CPUs, and more if there are fewer chunks than CPUs.
type engines struct {
	dec []*chunk.Decoder
	enc []*chunk.Encoder
}

// prepare selects the engines for a call. blocks is how many blocks of a chunk may be worked on at
// a time.
func (w *worker) prepare(ctx context.Context, blocks int, write bool) error {
	for len(w.engines.dec) < blocks {
		w.engines.dec, w.engines.enc = append(w.engines.dec, nil), append(w.engines.enc, nil)
	}
	dec, enc := &w.engines.dec[blocks-1], &w.engines.enc[blocks-1]
	if *dec == nil {
		o := w.array.decode
		o.Workers = blocks
		*dec = chunk.NewDecoder(&o)
	}
	if write && *enc == nil {
		o := w.array.encode
		o.Workers = blocks
		var err error
		if w.array.lossy() {
			o.Exact, err = w.array.missing()
		}
		if err != nil {
			return err
		}
		if *enc, err = chunk.NewEncoder(&o); err != nil {
			return err
		}
	}
	w.ctx, w.dec, w.enc = ctx, *dec, *enc
	w.watch(ctx)
	return nil
}

// watch makes the selected engines stop when ctx ends; nil means never.
func (w *worker) watch(ctx context.Context) {
	if w.dec != nil {
		w.dec.Watch(ctx)
	}
	if w.enc != nil {
		w.enc.Watch(ctx)
	}
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
	if w.array != nil {
		w.array.total.addTally(w)
	}
	if w.chunkMemory != nil {
		w.chunkMemory.release(p.memories(w.array))
	}
	w.chunkMemory = nil
	w.watch(context.Background())
	w.call = call{} // the caller's memory must not be kept alive or written later
	w.scratch.Reset()
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
