package ndarray

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// planDense sets up a plan for a box and checks the size of its dense buffer.
func planDense(plan *grid.Box, part *grid.Partition, bytes int, start, stop []int64) error {
	if err := plan.Set(part, start, stop); err != nil {
		return err
	}
	if int64(bytes) != plan.Bytes {
		return selection.WrongLength(int64(bytes), plan.Bytes/part.ItemSize, part.ItemSize)
	}
	return nil
}

// planPoints sets up a plan for points and checks the size of their buffer.
func planPoints(plan *grid.Points, part *grid.Partition, bytes int, coordinates []int64) error {
	if int64(bytes)%part.ItemSize != 0 {
		return fmt.Errorf("buffer of %d bytes for items of %d: %w", bytes, part.ItemSize, cairn.ErrBounds)
	}
	return plan.Set(part, coordinates, int64(bytes)/part.ItemSize)
}

// takePlan returns memory for a plan.
func (p *pool) takePlan() *grid.Box {
	if plan, ok := p.plans.Get().(*grid.Box); ok {
		return plan
	}
	return &grid.Box{}
}

// wholeChunks is a plan of all chunks of an array, for calls that do not look at items.
type wholeChunks struct{ part *grid.Partition }

// NumPieces returns the number of chunks, which fits because the index of a frame has room for no
// more.
func (p wholeChunks) NumPieces() int { return int(p.part.ChunkCount) }

// Take returns the piece of a chunk, without its items.
func (p wholeChunks) Take(index int, _ *grid.Scratch) grid.ChunkPiece {
	return grid.ChunkPiece{Chunk: int64(index), Whole: true}
}
