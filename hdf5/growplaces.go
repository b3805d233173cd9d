package hdf5

import (
	"context"

	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// fillPlaces writes the fill value to the new chunks of a dataset all of whose chunks have places
// already, where no items were written: what is there may be anything.
func (g *growth) fillPlaces(ctx context.Context) error {
	if g.d.layout.Index != format.ImplicitIndex {
		return nil
	}
	rank := len(g.shape)
	last := make([]int64, rank)
	stop := make([]int64, rank)
	one := make([]int64, rank)
	for i, n := range g.d.layout.Chunk {
		stop[i] = (g.shape[i] + n - 1) / n
		last[i] = stop[i] - 1
		one[i] = 1
		if stop[i] == 0 {
			return nil
		}
	}

	r := g.a.file.format.In(ctx)
	end, err := r.Chunk(g.index, last) // so there are no more chunks than the file has bytes
	if err != nil {
		return err
	}
	if r.Outside(end.Address, end.Size) {
		return outside(end, r)
	}

	fill := make([]byte, g.full)
	fillWith(fill, g.d.fill)
	for b := range slab.Walk(make([]int64, rank), stop, one) {
		var at grid.Vec
		copy(at[:], b.Start)
		if g.pending[at] != nil || g.within(b.Start) {
			continue
		}
		p, err := r.Chunk(g.index, b.Start)
		if err != nil {
			return err
		}
		if _, err := g.a.disk.WriteAt(fill, p.Address); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// within reports whether a chunk has items that are committed.
func (g *growth) within(at []int64) bool {
	for i, n := range g.d.layout.Chunk {
		if at[i]*n >= g.committed[i] {
			return false
		}
	}
	return true
}
