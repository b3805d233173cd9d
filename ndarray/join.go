package ndarray

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// A joinPlan says how to make an array from a view. Chunks of the new array that are chunks of an
// array in the view are taken over as they are encoded; the other chunkSpans along the axis are
// read and encoded box by box.
type joinPlan struct {
	plan    copying // only its budget is used
	view    UntypedView
	hold    freezer
	first   *Untyped // a handle of the array whose encoding the new one gets
	workers int      // workers of the plan itself
	to      *grid.Partition
	axis    int
	parts   []joinPart
}

// end releases the arrays.
func (j *joinPlan) end() error { return j.hold.end() }

// takesAll reports whether all chunks are taken over.
func (j *joinPlan) takesAll() bool {
	return !slices.ContainsFunc(j.spans(), func(t chunkSpan) bool { return t.from < 0 })
}

// A joinPart is an array in the view, or the items between two positions along its axis.
type joinPart struct {
	u           *Untyped // a snapshot
	at          *state   // with the dimensions of the view
	first       int64    // position of its first item along the axis, in u
	start, stop int64    // positions along the axis, in the new array
	same        bool     // whether chunks can be taken over: they have the same shapes and encoding
}

// A chunkSpan is a range of chunks along the axis. They belong to part number from, or to several
// parts if from is -1.
type chunkSpan struct {
	from        int
	first, last int64 // chunks of the new array along the axis, excluding last
}

// spans splits the new array along the axis so that as many chunks as possible are taken over.
func (j *joinPlan) spans() []chunkSpan {
	if j.to.Dims == 0 { // there is no axis, and one chunk
		return []chunkSpan{{-1, 0, 1}}
	}
	var all []chunkSpan
	done := int64(0)
	recode := func(to int64) {
		if to > done {
			all = append(all, chunkSpan{-1, done, to})
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
			// beyond the edge of the array there is only padding, in the part too
			last = (p.stop + length - 1) / length
		}
		if first < last {
			recode(first)
			all = append(all, chunkSpan{i, first, last})
			done = last
		}
	}
	recode(j.to.ChunkGrid[j.axis])
	return all
}

// fill fills a new array of zeros with its items.
func (j *joinPlan) fill(ctx context.Context, u *Untyped) error {
	report := j.plan.report()
	for _, s := range j.spans() {
		var err error
		if s.from >= 0 {
			err = j.takeOver(ctx, u, s, report)
		} else {
			err = j.recode(ctx, u, s, report)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeOver copies the encoded chunks of a span, run by run.
func (j *joinPlan) takeOver(ctx context.Context, u *Untyped, s chunkSpan, report func(int64)) error {
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
			return p.u.inArray(cairn.Corruptf("array", -1,
				"the frame has %d chunks, the shape needs %d", have, p.at.part.ChunkCount))
		}
		err := u.frame.Inside().Replace(ctx, int(at), p.at.view, int(number),
			int(number+rows*inner), report)
		if err != nil {
			return err
		}
	}
	return nil
}

// recode reads the items of a span from the view and encodes them.
func (j *joinPlan) recode(ctx context.Context, u *Untyped, s chunkSpan, report func(int64)) error {
	start, stop := make(Shape, j.to.Dims), shapeOf(j.to, j.to.Shape)
	if j.to.Dims > 0 {
		start[j.axis] = s.first * j.to.Chunk[j.axis]
		stop[j.axis] = min(stop[j.axis], s.last*j.to.Chunk[j.axis])
	}
	return j.plan.eachBox(ctx, u, start, stop, report, func(
		ctx context.Context, b slab.Box, room roomFunc) (change, error) {
		dense := room()
		return change{src: dense}, j.view.ReadBytes(ctx, dense, b.Start, b.Stop)
	})
}
