package ndarray

import (
	"context"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
)

// A joint is an array that is made of parts of others, one behind the other along an axis. Chunks of it that are chunks of one of them are taken over as they are encoded; those
// of other tracts are read and encoded box by box.
type joint struct {
	plan  CopyPlan // of which only the budget counts, for the first part
	to    *grid.Partition
	axis  int
	parts []part
	warm  *part // the one that has memory for reading

	done, total int64 // bytes of items
}

// report tells how far it got.
func (j *joint) report(bytes int64) {
	j.done = min(j.done+bytes, j.total) // chunks that are taken over count with their padding
	if j.plan.options.Progress != nil {
		j.plan.options.Progress(j.done, j.total)
	}
}

// A part is where items of a new array come from.
type part struct {
	u           *Untyped // a reader of its own
	at          *moment
	first       int64 // along the axis, in u
	start, stop int64 // along the axis, in the new array
	same        bool  // whether chunks can be taken over: they have the same shapes and encoding
}

// newPart returns a part that reads a state of an array as if it had another partition with the same chunks and blocks.
func newPart(u *Untyped, at *moment, as *grid.Partition, workers int) part {
	reader := &Untyped{fixed: u.fixed, frozen: true}
	reader.part, reader.workers = as, workers
	seen := &moment{part: as, layer: at.layer, view: at.view, held: at.held, proxy: at.proxy}
	reader.last.Store(seen)
	return part{u: reader, at: seen}
}

// slab is a range of chunks along the axis: of part number from, or made of several if that is -1.
type tract struct {
	from        int
	first, last int64 // chunks of the new array along the axis, last not included
}

// tracts cuts the new array along the axis, so that as many chunks as possible are taken over.
func (j *joint) tracts() []tract {
	var all []tract
	done := int64(0)
	recode := func(to int64) {
		if to > done {
			all = append(all, tract{-1, done, to})
			done = to
		}
	}
	length, extent := j.to.Chunk[j.axis], j.to.Shape[j.axis]
	for i, p := range j.parts {
		if !p.same || (p.first-p.start)%length != 0 {
			continue
		}
		first, last := (p.start+length-1)/length, p.stop/length
		if p.stop == extent && p.first+p.stop-p.start == p.at.part.Shape[j.axis] {
			last = (p.stop + length - 1) / length // what is behind the edge is behind that of the part too
		}
		if first < last {
			recode(first)
			all = append(all, tract{i, first, last})
			done = last
		}
	}
	recode(j.to.ChunkGrid[j.axis])
	return all
}

// fill gives a new array, whose chunks are all zeros, its items.
func (j *joint) fill(ctx context.Context, u *Untyped) error {
	if j.to.ChunkCount == 0 {
		return ctx.Err()
	}
	var buf []byte
	for _, s := range j.tracts() {
		var err error
		if s.from >= 0 {
			err = j.takeOver(ctx, u, s)
		} else {
			err = j.recode(ctx, u, s, &buf)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeOver brings the chunks of a tract over as they are, run by run.
func (j *joint) takeOver(ctx context.Context, u *Untyped, s tract) error {
	p := &j.parts[s.from]
	outer, inner := int64(1), int64(1)
	for i := range j.to.Dims {
		switch {
		case i < j.axis:
			outer *= j.to.ChunkGrid[i]
		case i > j.axis:
			inner *= j.to.ChunkGrid[i]
		}
	}
	rows, from := s.last-s.first, s.first+(p.first-p.start)/j.to.Chunk[j.axis]
	for k := range outer {
		at := (k*j.to.ChunkGrid[j.axis] + s.first) * inner
		number := (k*p.at.part.ChunkGrid[j.axis] + from) * inner
		if have := int64(p.at.view.NumChunks()); number+rows*inner > have {
			return p.u.inArray(cairn.Corruptf("array", -1, "the frame has %d chunks, the shape needs %d", have, p.at.part.ChunkCount))
		}
		err := u.frame.Inside().Replace(ctx, int(at), p.at.view.Inside(), int(number), int(number+rows*inner), j.report)
		if err != nil {
			return err
		}
	}
	return nil
}

// recode makes the chunks of a tract of the items of all parts that have some in it.
func (j *joint) recode(ctx context.Context, u *Untyped, s tract, buf *[]byte) error {
	ctx = WithProgress(ctx, nil)
	var low grid.Vec
	high := j.to.Shape
	low[j.axis], high[j.axis] = s.first*j.to.Chunk[j.axis], min(high[j.axis], s.last*j.to.Chunk[j.axis])
	for start, more := low, true; more; start, more = nextBox(start, low, high, j.plan.boxes.Edge, j.to.Dims) {
		stop := high
		bytes := j.to.ItemSize
		for i := range j.to.Dims {
			stop[i] = min(start[i]+j.plan.boxes.Edge[i], high[i])
			bytes *= stop[i] - start[i]
		}
		*buf = resize(*buf, int(bytes))
		for i := range j.parts {
			if err := j.read(ctx, &j.parts[i], *buf, start, stop); err != nil {
				return err
			}
		}
		if err := u.writeBox(ctx, u.part, *buf, start[:j.to.Dims], stop[:j.to.Dims], 0); err != nil {
			return err
		}
		j.report(bytes)
	}
	return nil
}

// nextBox returns where the box after the one at start begins, in C order over boxes of the size edge between low and high; false if that was the last one.
func nextBox(start, low, high, edge grid.Vec, dims int) (grid.Vec, bool) {
	for i := dims - 1; i >= 0; i-- {
		if start[i] += edge[i]; start[i] < high[i] {
			return start, true
		}
		start[i] = low[i]
	}
	return start, false
}

// read reads what a part has of a box into the box's memory.
func (j *joint) read(ctx context.Context, p *part, dense []byte, start, stop grid.Vec) error {
	from, to := max(start[j.axis], p.start), min(stop[j.axis], p.stop)
	if from >= to {
		return nil
	}
	m := mesh{axes: make([]grid.Axis, j.to.Dims), memory: grid.Memory{Size: int64(len(dense))}}
	stride := j.to.ItemSize
	for i := j.to.Dims - 1; i >= 0; i-- {
		m.axes[i] = grid.Axis{Start: start[i], Step: 1, Count: stop[i] - start[i], Stride: stride}
		if i == j.axis {
			m.axes[i].Start, m.axes[i].Count = from-p.start+p.first, to-from
			m.memory.Base = (from - start[i]) * stride
		}
		stride *= stop[i] - start[i]
	}
	if j.warm != nil && j.warm != p {
		j.warm.u.pool.drop()
	}
	j.warm = p
	return p.u.readMesh(ctx, p.at, dense, m, 0)
}
