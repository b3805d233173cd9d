package ndarray

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A plan is what a call reads or writes, cut by chunks.
type plan interface {
	pieces() int
	// take makes the piece with a number the one that the worker has at hand. Plans do not change: any number of workers may take.
	take(w *worker, index int)
}

// A piece is what a plan has of one chunk.
type piece struct {
	grid.Part
	Chunk int64 // number of the chunk
	Whole bool  // the plan has every item that the array has in it
}

// boxPlan is a box, in dense memory.
type boxPlan struct{ grid.Plan }

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

// meshPlan is everything else that selectors and views can select, in memory of any strides.
type meshPlan struct{ grid.Mesh }

func (p *meshPlan) pieces() int { return p.Pieces }

func (p *meshPlan) take(w *worker, index int) {
	p.Piece(index, &w.mesh)
	w.piece = piece{&w.mesh, w.mesh.Chunk, w.mesh.Whole}
}

func (p *meshPlan) set(part *grid.Partition, m mesh, write bool) error {
	if err := p.Set(part, m.axes, m.memory, write); err != nil {
		return fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	return nil
}

// pointPlan is single items in the order of a list.
type pointPlan struct{ grid.Points }

func (p *pointPlan) pieces() int { return p.Pieces }

func (p *pointPlan) take(w *worker, index int) {
	p.Piece(index, &w.points)
	w.piece = piece{&w.points, w.points.Chunk, false}
}

// maskPlan is the items that a mask of the whole array has.
type maskPlan struct{ grid.Mask }

func (p *maskPlan) pieces() int { return p.Pieces }

func (p *maskPlan) take(w *worker, index int) {
	p.Piece(index, &w.masked)
	w.piece = piece{&w.masked, w.masked.Chunk, w.masked.Whole}
}

// A mesh is what is selected of an array, and where in memory it lies.
type mesh struct {
	axes   []grid.Axis // per dimension of the array
	memory grid.Memory
}

// place returns the mesh of a selection in memory whose item with every number 0 is at base, and that has size bytes. strides are for
// the dimensions of the result, in bytes.
func (s selection) place(strides []int64, base, size int64) mesh {
	m := mesh{axes: append(make([]grid.Axis, 0, len(s.axes)), s.axes...), memory: grid.Memory{Base: base, Size: size}}
	for k, dim := range s.dims {
		if dim != newDim {
			m.axes[dim].Stride = strides[k]
		} else if s.size[k] != 1 {
			m.memory.Spread = append(m.memory.Spread, grid.Axis{Count: s.size[k], Stride: strides[k]})
		}
	}
	return m
}

// denseMemory returns the mesh of a selection in a buffer of a number of bytes, which must be that of its items, in C order.
func denseMemory(s selection, itemSize int64, bytes int) (mesh, error) {
	size, ok := grid.Mul(s.Len(), itemSize)
	if !ok || size != int64(bytes) {
		return mesh{}, wrongLength(int64(bytes), s.Len(), itemSize)
	}
	return s.place(denseStrides(s.size, itemSize), 0, size), nil
}

// denseStrides returns the distances in bytes between neighbours along each dimension of a C-order buffer. They are right where there are items.
func denseStrides(shape Shape, itemSize int64) []int64 {
	strides := make([]int64, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = itemSize
		itemSize *= shape[i]
	}
	return strides
}

// oneItem returns the mesh of a selection in memory of one item, which stands for all.
func oneItem(s selection, itemSize int64) mesh {
	return s.place(make([]int64, len(s.size)), 0, itemSize)
}
