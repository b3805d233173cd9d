package ndarray

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
)

// runBytes is about how much of a chunk one worker visits at a time: enough to outweigh the
// overhead, but little enough that arrays of few chunks keep all workers busy. It must not depend
// on the number of workers, because results that are merged run by run must not depend on it.
const runBytes = 1 << 20

// runsAhead is how many runs each worker can be ahead of the others if the order matters.
const runsAhead = 2

// chunksEach is the number of chunks per worker from which on a worker takes all runs of a chunk:
// then each chunk is read once, and the workers still end at about the same time.
const chunksEach = 4

// A visit visits all blocks of one state of an array.
type visit struct {
	at       *state
	swap     int // width of numbers whose byte order is reversed, 0 for none
	ctx      context.Context
	perRun   int64 // blocks per run
	perChunk int64 // runs per chunk
	perTurn  int   // runs that a worker takes at a time: 1, or those of a chunk
	workers  []visitWorker
	ration   inside.Ration
	visitor  *inside.Visitor
	ahead    *readahead.Reader // of turns, or of chunks if first is not nil
	first    []int
	// number of the first chunk, if the visit divides chunks into runs itself
	firstChunk int64
}

// blocksPerRun returns the number of blocks of a run.
func blocksPerRun(p *grid.Partition) int64 { return max(1, runBytes/max(1, p.BlockSize)) }

// chunkRuns returns the number of runs of a chunk.
func chunkRuns(p *grid.Partition) int64 { return max(1, (p.BlockCount-1)/blocksPerRun(p)+1) }

// A visitWorker is one worker of a visit, and its current block.
type visitWorker struct {
	inside.Block

	visit      *visit
	worker     *worker
	plan       grid.Box // the chunk's box
	blockPlan  grid.Box
	blockPiece grid.BoxPiece
	origin     grid.Vec // of the chunk
	end        grid.Vec
	start      grid.Vec // of the block
	stop       grid.Vec
	src        []byte // the chunk, if fetched
	header     chunk.Header
	buf        []byte
	pending    bool // whether a block is being decoded into buf
	err        error
}

// visitBlocks calls a visitor with the blocks of the array. Unless the visitor asks for whole
// chunks, runs have about runBytes.
func (a *array) visitBlocks(ctx context.Context, swap int, visitor *inside.Visitor) (err error) {
	at, release, err := a.beginFlushedRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)
	at = a.within(ctx, at)

	p := at.part
	first, chunks := visitor.Range(p.ChunkCount)
	v := &visit{
		at:         at,
		swap:       swap,
		ctx:        ctx,
		perRun:     blocksPerRun(p),
		perChunk:   chunkRuns(p),
		perTurn:    1,
		ration:     at.view.Inside().Ration(),
		visitor:    visitor,
		firstChunk: first,
	}
	if visitor.Again {
		v.ration = inside.Once(v.ration)
	}
	count, ok := grid.Mul(chunks, v.perChunk)
	if !ok || count > math.MaxInt {
		return fmt.Errorf("visit of %d chunks: %w", p.ChunkCount, cairn.ErrLimit)
	}
	if visitor.Chunks != nil {
		v.perRun = max(1, p.BlockCount)
		v.perChunk = 1
		count = int64(visitor.Runs)
	}
	if count == 0 {
		return ctx.Err()
	}

	most := min(visitor.Most(parallel.Workers(a.workers)), int(count))
	workers, err := a.readyWorkers(ctx, at, parallel.Within(a.memory, visitBytes(at), most), 1, false)
	if err != nil {
		return err
	}
	defer a.pool.put(workers)
	v.workers = make([]visitWorker, len(workers))
	for i, w := range workers {
		v.workers[i] = visitWorker{visit: v, worker: w, Block: inside.Block{Worker: i}}
	}

	if chunks >= chunksEach*int64(len(workers)) {
		v.perTurn = int(v.perChunk)
	}
	turns := int(count) / v.perTurn
	ahead := turns
	if visitor.RunDone != nil { // runs that complete early are kept until they can be merged
		ahead = max(runsAhead/v.perTurn, 1) * len(workers)
	}

	progress := startProgress(ctx, count)
	v.loadAhead(&a.core, turns)
	defer v.ahead.Close()
	return parallel.Ahead(ctx, len(workers), turns, ahead, func(i, turn int) error {
		return v.visitTurn(i, turn, func() { progress.add(1) })
	})
}

// visitBytes is the memory that a worker of a visit needs: a block, and a stored chunk if it must
// be read.
func visitBytes(at *state) int64 {
	if at.view.Inside().Lends() {
		return at.part.BlockSize
	}
	return at.part.BlockSize + min(at.part.ChunkSize, at.view.CBytes())
}

// run visits the blocks of one run.
func (s *visitWorker) run(run int) error {
	s.Run = run
	v := s.visit
	if v.visitor.Chunks == nil {
		return s.visitPart(v.firstChunk+int64(run)/v.perChunk, int64(run)%v.perChunk)
	}

	job := 0
	if v.first != nil {
		job = v.first[run]
	}
	for number := range v.visitor.Chunks(run) {
		if number < 0 || number >= v.at.part.ChunkCount {
			return fmt.Errorf("visit of chunk %d of %d: %w", number, v.at.part.ChunkCount, cairn.ErrBounds)
		}
		visit := func() error { return s.visitPart(number, 0) }
		if err := s.worker.withAhead(v.ahead, job, visit); err != nil {
			return err
		}
		job++
	}
	return v.ctx.Err()
}

// visitPart visits the blocks of a part of a chunk.
func (s *visitWorker) visitPart(number, part int64) error {
	v := s.visit
	w := s.worker
	p := v.at.part
	s.Chunk = number
	s.origin, s.end = p.ChunkBox(number)
	if err := s.plan.Set(p, s.origin[:p.Dims], s.end[:p.Dims]); err != nil {
		return err
	}
	w.take(&s.plan, 0)
	if err := v.at.proxy.require(w.core, v.at.view, &w.piece); err != nil {
		return err
	}

	first := min(part*v.perRun, int64(w.piece.Blocks()))
	last := min(first+v.perRun, int64(w.piece.Blocks()))
	if first == last {
		return nil
	}
	s.err = nil
	s.pending = false

	// Runs of one chunk that belong to different turns are read one by one if possible. Otherwise
	// the first run of each turn fetches the chunk.
	if v.perTurn < int(v.perChunk) {
		if done, err := s.visitStoredRun(first, last); done || err != nil {
			return err
		}
	}
	if part == 0 || v.perTurn == 1 {
		src, h, err := w.fetch()
		if err != nil {
			return err
		}
		s.src = src
		s.header = h
		if err := s.charge(part, len(src)); err != nil {
			return err
		}
	}

	if kind := s.header.Special(); kind != chunk.SpecialNone {
		item, err := w.repeated(s.src)
		if err != nil {
			return err
		}
		if item != nil {
			return s.visitSpecial(kind, item, part)
		}
	}
	return s.visitRun(s.src, s.header, first, last)
}

// charge subtracts the stored bytes of the current chunk from the ration, with the chunk's first
// run.
func (s *visitWorker) charge(part int64, size int) error {
	if part > 0 {
		return nil
	}
	return s.visit.ration.Take(int(s.Chunk), size)
}

// visitSpecial passes a special chunk to the visitor as one block, with the chunk's first run.
func (s *visitWorker) visitSpecial(kind chunk.Special, item []byte, part int64) error {
	if part > 0 {
		return nil
	}

	s.worker.tally.ChunksSpecial++
	s.Kind = kind
	s.Block.Block = 0
	s.Item = item
	s.Data = nil
	s.start = s.origin
	s.stop = s.end
	return s.callVisitor()
}

// visitStoredRun visits one of several runs of a chunk by reading only its bytes from storage. It
// reports false if that is not possible.
func (s *visitWorker) visitStoredRun(first, last int64) (bool, error) {
	w := s.worker
	info, ok := w.readsBlocks()
	if !ok {
		return false, nil
	}

	s.Kind = chunk.SpecialNone
	if err := s.charge(first/s.visit.perRun, info.CBytes); err != nil {
		return true, err
	}
	if err := s.prepare(); err != nil {
		return true, err
	}

	view := s.visit.at.view.Inside()
	err := view.DecodeBlocks(w.ctx, w.dec, int(s.Chunk), info.Header, s.runBlocks(first, last), s)
	s.countRun(first, last)
	return true, s.finish(err)
}

// visitRun visits the blocks from first to last of the chunk src.
func (s *visitWorker) visitRun(src []byte, h chunk.Header, first, last int64) error {
	p := s.visit.at.part
	w := s.worker
	s.Kind = chunk.SpecialNone
	if err := s.prepare(); err != nil {
		return err
	}
	if int64(h.Layout().BlockSize) != p.BlockSize {
		return s.finish(w.decodeRecut(&h, src, s.runBlocks(first, last), s))
	}

	var want []bool
	if last-first < p.BlockCount && p.BlockCount <= int64(len(src)) {
		// a chunk that is too short to even list its blocks will fail to decode
		want = s.runBlocks(first, last)
	}
	err := w.dec.DecodeBlocks(h, src, want, s)
	s.countRun(first, last)
	return s.finish(w.inChunk(err))
}

// countRun counts the blocks of a run as decoded.
func (s *visitWorker) countRun(first, last int64) {
	p := s.visit.at.part
	t := &s.worker.tally
	t.BlocksDecoded += last - first
	t.BytesDecoded += (last - first) * p.BlockSize
	if first == 0 {
		t.ChunksRead++
		t.BlocksSkipped += p.BlockCount - int64(s.worker.piece.Blocks())
	}
}

// prepare allocates the buffer for a block.
func (s *visitWorker) prepare() error {
	size := s.visit.at.part.BlockSize
	if most := s.worker.core.engine.Limits.MaxAlloc; size > most {
		return s.worker.core.inArray(fmt.Errorf("blocks of %d bytes, MaxAlloc is %d: %w", size, most, cairn.ErrLimit))
	}
	s.buf = slab.Resize(s.buf, size)
	return nil
}

// runBlocks returns the mask of those blocks from first to last that contain items of the array.
func (s *visitWorker) runBlocks(first, last int64) []bool {
	w := s.worker
	w.want = slab.Resize(w.want, s.visit.at.part.BlockCount)
	clear(w.want)
	for k := first; k < last; k++ {
		w.want[w.piece.Block(int(k))] = true
	}
	return w.want
}

// Dst returns the buffer for a block without padding. The block decoded into it before is complete
// now, because one goroutine decodes the blocks one after another.
func (s *visitWorker) Dst(index, size int) []byte {
	s.flush()
	if !s.locate(index) || s.visit.swap != 0 || size != len(s.buf) {
		return nil
	}

	s.pending = true
	return s.buf
}

// Put copies the array's items out of a block at the edge, or of one with the other byte order.
func (s *visitWorker) Put(index int, data []byte) {
	s.locate(index)
	if s.err != nil {
		return
	}

	p := s.visit.at.part
	s.err = s.blockPlan.Set(p, s.start[:p.Dims], s.stop[:p.Dims])
	if s.err != nil {
		return
	}
	s.blockPlan.Swap(s.visit.swap)
	s.blockPlan.Piece(0, &s.blockPiece)
	s.blockPiece.Scatter(s.buf, index, data)

	s.pending = true
	s.flush()
}

// locate computes the box of a block and reports whether all of the block is in it.
func (s *visitWorker) locate(index int) bool {
	p := s.visit.at.part
	whole := true
	rest := int64(index)
	for i := p.Dims - 1; i >= 0; i-- {
		s.start[i] = s.origin[i] + rest%p.BlockGrid[i]*p.Block[i]
		rest /= p.BlockGrid[i]
		s.stop[i] = min(s.start[i]+p.Block[i], s.end[i])
		whole = whole && s.stop[i] == s.start[i]+p.Block[i]
	}
	s.Block.Block = index
	return whole
}

// flush passes a complete block to the visitor, unless something failed before.
func (s *visitWorker) flush() {
	if !s.pending {
		return
	}
	s.pending = false
	if s.err != nil {
		return
	}

	p := s.visit.at.part
	items := boxItems(s.start[:p.Dims], s.stop[:p.Dims])
	s.Item = nil
	s.Data = s.buf[:items*p.ItemSize]
	s.err = s.callVisitor()
}

// finish passes the last block of a run to the visitor if the run was decoded without error.
func (s *visitWorker) finish(err error) error {
	if err := cmp.Or(s.err, err); err != nil {
		s.pending = false
		return err
	}

	s.flush()
	return s.err
}

// callVisitor calls the visitor with the current block.
func (s *visitWorker) callVisitor() error {
	if err := s.visit.ctx.Err(); err != nil {
		return err
	}

	dims := s.visit.at.part.Dims
	s.Start = s.start[:dims]
	s.Stop = s.stop[:dims]
	return s.visit.visitor.Block(&s.Block)
}

// loadAhead starts loading the chunks of the visit, turn by turn or, if the visitor chooses the
// chunks, in its order: first is then the job of the first chunk of each run.
func (v *visit) loadAhead(c *core, turns int) {
	if c.requests == 0 {
		return
	}
	if v.visitor.Chunks == nil {
		v.ahead = c.loadAhead(v.ctx, v.at, v.turnExtents(c, turns))
		return
	}

	v.first = make([]int, 0, turns)
	v.ahead = c.loadAhead(v.ctx, v.at, func(yield func(off, n int64) bool) {
		jobs := 0
		for run := range turns {
			v.first = append(v.first, jobs)
			for number := range v.visitor.Chunks(run) {
				jobs++
				if !yield(c.chunkExtent(v.at, number)) {
					return
				}
			}
		}
	})
}

// turnExtents yields the extents of the chunks that turns begin. Other turns of a chunk need
// nothing more.
func (v *visit) turnExtents(c *core, turns int) iter.Seq2[int64, int64] {
	return func(yield func(off, n int64) bool) {
		var off, n int64
		for turn := range turns {
			first := int64(turn) * int64(v.perTurn)
			if first%v.perChunk == 0 {
				off, n = c.chunkExtent(v.at, v.firstChunk+first/v.perChunk)
			} else {
				n = min(n, 0)
			}
			if !yield(off, n) {
				return
			}
		}
	}
}

// visitTurn visits the runs of a turn.
func (v *visit) visitTurn(i, turn int, done func()) error {
	s := &v.workers[i]
	all := func() error {
		for run := turn * v.perTurn; run < (turn+1)*v.perTurn; run++ {
			if err := s.run(run); err != nil {
				return err
			}
			if v.visitor.RunDone != nil {
				if err := v.visitor.RunDone(i, run); err != nil {
					return err
				}
			}
			done()
		}
		return nil
	}

	if v.first != nil { // run waits for each chunk
		return all()
	}
	return s.worker.withAhead(v.ahead, turn, all)
}
