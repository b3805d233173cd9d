package ndarray

import "github.com/cairn-go/cairn/internal/grid"

// A plan is what a call reads or writes, cut by chunks.
type plan interface {
	pieces() int
	// take makes the piece with a number the one that the worker has at hand. Plans do not change:
	// any number of workers may take.
	take(w *worker, index int)
}

// A piece is what a plan has of one chunk.
type piece struct {
	grid.Part
	Chunk int64 // number of the chunk
	Whole bool  // the plan has every item that the array has in it
}

func (p *boxPlan) pieces() int { return p.Pieces }

func (p *boxPlan) take(w *worker, index int) {
	p.Piece(index, &w.box)
	w.piece = piece{&w.box, w.box.Chunk, w.box.Whole}
}

// takeIn is take for what a chunk of the array has, if that is anything.
func (p *boxPlan) takeIn(w *worker, chunk int64) bool {
	ok := p.PieceIn(chunk, &w.box)
	w.piece = piece{&w.box, w.box.Chunk, w.box.Whole}
	return ok
}

func (p *meshPlan) pieces() int { return p.Pieces }

func (p *meshPlan) take(w *worker, index int) {
	p.Piece(index, &w.mesh)
	w.piece = piece{&w.mesh, w.mesh.Chunk, w.mesh.Whole}
}

func (p *pointPlan) pieces() int { return p.Pieces }

func (p *pointPlan) take(w *worker, index int) {
	p.Piece(index, &w.points)
	w.piece = piece{&w.points, w.points.Chunk, false}
}

func (p *maskPlan) pieces() int { return p.Pieces }

func (p *maskPlan) take(w *worker, index int) {
	p.Piece(index, &w.masked)
	w.piece = piece{&w.masked, w.masked.Chunk, w.masked.Whole}
}

// eachWhole is the plan of all chunks of an array. What is in them is not asked of it.
type eachWhole struct{ part *grid.Partition }

// the index of a frame has room for no more
func (p eachWhole) pieces() int { return int(p.part.ChunkCount) }

func (p eachWhole) take(w *worker, index int) { w.piece = piece{Chunk: int64(index), Whole: true} }
