package ndarray

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
	"github.com/cairn-go/cairn/shuffle"
)

// A joinPlan says how to make an array from a view. Chunks of the new array that are chunks of an
// array in the view are taken over as they are encoded; the other chunkSpans along the axis are
// read and encoded box by box.
type joinPlan struct {
	plan    copying // only its budget is used
	view    UntypedView
	hold    freezer
	first   *array // a handle of the array whose encoding the new one gets
	workers int    // workers of the plan itself
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
	of          *array // a snapshot
	at          *state // with the dimensions of the view
	first       int64  // position of its first item along the axis, in the array
	start, stop int64  // positions along the axis, in the new array
	same        bool   // whether chunks can be taken over: they have the same shapes and encoding
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

	length := j.to.Chunk[j.axis]
	extent := j.to.Shape[j.axis]
	for i, p := range j.parts {
		if !p.same || (p.first-p.start)%length != 0 {
			continue
		}

		first := (p.start + length - 1) / length
		last := p.stop / length
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
func (j *joinPlan) fill(ctx context.Context, made *array) error {
	report := j.plan.report()
	for _, s := range j.spans() {
		write := j.takeOver
		if s.from < 0 {
			write = j.recode
		}
		if err := write(ctx, made, s, report); err != nil {
			return err
		}
	}
	return nil
}

// takeOver copies the encoded chunks of a span, run by run.
func (j *joinPlan) takeOver(ctx context.Context, made *array, s chunkSpan, report func(int64)) error {
	outer := int64(1)
	inner := int64(1)
	for i := range j.to.Dims {
		switch {
		case i < j.axis:
			outer *= j.to.ChunkGrid[i]
		case i > j.axis:
			inner *= j.to.ChunkGrid[i]
		}
	}

	p := &j.parts[s.from]
	rows := s.last - s.first
	from := s.first + (p.first-p.start)/j.to.Chunk[j.axis]
	for k := range outer {
		at := (k*j.to.ChunkGrid[j.axis] + s.first) * inner
		number := (k*p.at.part.ChunkGrid[j.axis] + from) * inner
		end := number + rows*inner
		if have := int64(p.at.view.NumChunks()); end > have {
			return p.of.inArray(cairn.Corruptf("array", -1,
				"the frame has %d chunks, the shape needs %d", have, p.at.part.ChunkCount))
		}

		err := made.frame.Inside().Replace(ctx, int(at), p.at.view, int(number), int(end), report)
		if err != nil {
			return err
		}
	}
	return nil
}

// recode reads the items of a span from the view and encodes them.
func (j *joinPlan) recode(ctx context.Context, made *array, s chunkSpan, report func(int64)) error {
	start := make(Shape, j.to.Dims)
	stop := shapeOf(j.to, j.to.Shape)
	if j.to.Dims > 0 {
		start[j.axis] = s.first * j.to.Chunk[j.axis]
		stop[j.axis] = min(stop[j.axis], s.last*j.to.Chunk[j.axis])
	}

	items := func(ctx context.Context, b slab.Box, room roomFunc) (change, error) {
		dense := room()
		return change{src: dense}, j.view.ReadBytes(ctx, dense, b.Start, b.Stop)
	}
	return j.plan.eachBox(ctx, made, start, stop, report, items)
}

// relabel gives a copy of a view the names of the dimensions that the view has, if the array whose
// metalayers it has been given has others.
func (v UntypedView) relabel(made *array) error {
	have, err := made.allLabels()
	if err != nil || !slices.Contains(made.frame.VLNames(), labels.Dims) {
		return err
	}
	want, err := v.Labels()
	if err != nil || slices.Equal(want.Dims, have.Dims) && want.Dims != nil {
		return err
	}

	have.Dims = want.Dims
	return made.setLabels(have)
}

// joinPlan plans the copy of a view that is not a whole array. Until the plan ends, the arrays in
// the view do not change; with Locking, neither in other processes.
func (v UntypedView) joinPlan(ctx context.Context, o *CopyOptions) (j *joinPlan, err error) {
	if err := v.Err(); err != nil {
		return nil, err
	}

	j = &joinPlan{}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("copy: %w", err), j.end())
			j = nil
		}
	}()

	// A view that repeats items has no grid that suits storage.
	if o.ChunkShape == nil && v.repeats() {
		auto := *o
		auto.AutoShapes = true
		o = &auto
	}

	j.hold = freezer{lock: true}
	v.of, err = v.of.frozen(ctx, &j.hold)
	if err != nil {
		return j, err
	}
	j.view = v

	chunks, blocks := v.Grid()
	like, err := grid.New(v.Shape(), chunks, blocks, v.of.typeSize())
	if err != nil {
		return j, err
	}
	if err := j.template(v, like, o); err != nil {
		return j, err
	}
	j.cut(v)
	return j, j.arrange(like, o)
}

// template chooses the array whose encoding and metalayers the new one gets: the first one in the
// view, or, if the view contains none, an empty array made for the purpose.
func (j *joinPlan) template(v UntypedView, like *grid.Partition, o *CopyOptions) error {
	d := v.DType()
	if len(j.hold.readers) > 0 && j.hold.readers[0].dtype.Equal(d) {
		j.first = j.hold.readers[0]
		return nil
	}

	made, err := create("", d.String(), v.Shape(), &Options{
		ChunkShape: like.Chunk[:like.Dims], BlockShape: like.Block[:like.Dims], Codec: o.Codec,
		Level: o.Level, Filters: o.Filters,
	}, frame.New)
	if err != nil {
		return err
	}
	j.hold.ends = append(j.hold.ends, made.abort)

	l, err := v.Labels()
	if err != nil {
		return err
	}
	if l.Dims != nil || l.Attributes != nil {
		if err := made.setLabels(l); err != nil {
			return err
		}
	}
	j.first, err = made.snapshot(context.Background())
	return err
}

// repeats reports whether the view repeats items along a dimension that the array does not have.
func (v UntypedView) repeats() bool {
	for k, dim := range v.sel.Dims {
		if dim == selection.NewDim && v.sel.Size[k] > 1 {
			return true
		}
	}
	return false
}

// cut finds the arrays that the view joins along an axis. If one operand is not an array or a part
// of one, no chunks are taken over.
func (j *joinPlan) cut(v UntypedView) {
	views := []UntypedView{v}
	if of, ok := v.of.(*joinOrigin); ok && v.showsAll(of) {
		views = of.parts
		j.axis = of.axis
	} else {
		for k, dim := range v.sel.Dims {
			if dim != selection.NewDim && !v.all(dim) {
				j.axis = k
			}
		}
	}
	if v.dims() == 0 {
		return
	}

	start := int64(0)
	for _, one := range views {
		stop := start + one.sel.Size[j.axis]
		if p, ok := one.part(j.axis); ok {
			p.start = start
			p.stop = stop
			j.parts = append(j.parts, p)
		}
		start = stop
	}
}

// all reports whether the view covers its array along a dimension.
func (v UntypedView) all(dim int) bool {
	s, ok := v.of.(arrayOrigin)
	a := &v.sel.Axes[dim]
	return ok && a.List == nil && a.Start == 0 && a.Count == s.a.geometry().Shape[dim] &&
		(a.Count <= 1 || a.Step == 1)
}

// part returns the operand that a view is, if the view is a whole array or the items between two
// positions along the axis, apart from added dimensions of extent 1.
func (v UntypedView) part(axis int) (p joinPart, ok bool) {
	origin, ok := v.of.(arrayOrigin)
	if !ok {
		return p, false
	}

	at := origin.a.last.Load()
	dims := len(v.sel.Dims)
	shape := make(Shape, dims)
	chunk := make(Shape, dims)
	block := make(Shape, dims)
	next := 0 // dimension of the array
	for k, dim := range v.sel.Dims {
		if dim == selection.NewDim {
			if v.sel.Size[k] != 1 {
				return p, false
			}
			shape[k] = 1
			chunk[k] = 1
			block[k] = 1
			continue
		}

		// The items are a range along the axis, and all items along other dimensions.
		a := &v.sel.Axes[dim]
		if dim != next || a.List != nil || a.Count > 1 && a.Step != 1 || k != axis && !v.all(dim) {
			return p, false
		}
		if k == axis {
			p.first = a.Start
		}
		shape[k] = at.part.Shape[dim]
		chunk[k] = at.part.Chunk[dim]
		block[k] = at.part.Block[dim]
		next++
	}
	if next != at.part.Dims {
		return p, false
	}

	as, err := grid.New(shape, chunk, block, at.part.ItemSize)
	if err != nil {
		return p, false
	}
	p.of = origin.a
	p.at = at.withPartition(as)
	return p, true
}

// shapedBlocks reports whether the codec or a filter uses the shape of blocks, or may do so.
func (c *core) shapedBlocks(info frame.Info) bool {
	codec, err := c.engine.Codecs.Lookup(info.Codec.ID())
	if err != nil || codec.Shaped {
		return true
	}
	return slices.ContainsFunc(info.Pipeline[:], func(s shuffle.Spec) bool {
		row, err := c.engine.Filters.Lookup(s.ID)
		return err != nil || row.Shaped
	})
}

// arrange decides the partition of the new array, based on like, and which chunks are taken over.
func (j *joinPlan) arrange(like *grid.Partition, o *CopyOptions) (err error) {
	at := j.first.last.Load()
	info := at.view.Info()
	j.plan = copying{source: j.first, options: *o, method: CopyRechunk, from: like}
	j.plan.to, err = j.plan.partition(at.withPartition(like))
	if err != nil {
		return err
	}
	j.to = j.plan.to
	j.workers = j.first.workers

	j.plan.chooseBoxes(o, info)
	for _, a := range j.hold.readers {
		a.workers = j.plan.workers
	}

	plain := !j.first.shapedBlocks(info)
	for i := range j.parts {
		p := &j.parts[i]
		other := p.at.view.Info()
		shapes := p.at.part.Chunk == j.to.Chunk && p.at.part.Block == j.to.Block
		encoding := other.Codec == info.Codec && other.Level == info.Level &&
			other.Pipeline == info.Pipeline && other.Split == info.Split &&
			other.ZarrBlocks == info.ZarrBlocks && !o.recodes(other) && !o.recodes(info)

		// Codecs and filters that know the shape of blocks could not read blocks that got one more
		// dimension.
		readable := plain || like.Dims == p.of.part.Dims
		p.same = shapes && encoding && readable && p.of.dtype.Equal(j.first.dtype)
	}
	return j.plan.settleFilters(info)
}
