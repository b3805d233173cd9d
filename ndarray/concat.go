package ndarray

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
	"github.com/cairn-go/cairn/shuffle"
)

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
	if o.ChunkShape == nil && v.repeats() {
		auto := *o // a view that repeats items has no grid that suits storage
		auto.AutoShapes = true
		o = &auto
	}
	j.hold = freezer{lock: true}
	if v.of, err = v.of.frozen(ctx, &j.hold); err != nil {
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
	made, err := NewUntyped(d.String(), v.Shape(), &Options{
		ChunkShape: like.Chunk[:like.Dims], BlockShape: like.Block[:like.Dims], Codec: o.Codec,
		Level: o.Level, Filters: o.Filters,
	})
	if err != nil {
		return err
	}
	j.hold.ends = append(j.hold.ends, made.Abort)
	l, err := v.Labels()
	if err == nil && (l.Dims != nil || l.Attributes != nil) {
		err = made.SetLabels(l)
	}
	if err != nil {
		return err
	}
	j.first, err = made.Snapshot(context.Background())
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
		views, j.axis = of.parts, of.axis
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
		p, ok := one.part(j.axis)
		p.start, p.stop = start, start+one.sel.Size[j.axis]
		if start = p.stop; ok {
			j.parts = append(j.parts, p)
		}
	}
}

// all reports whether the view covers its array along a dimension.
func (v UntypedView) all(dim int) bool {
	s, ok := v.of.(arrayOrigin)
	a := &v.sel.Axes[dim]
	return ok && a.List == nil && a.Start == 0 && a.Count == s.u.geometry().Shape[dim] &&
		(a.Count <= 1 || a.Step == 1)
}

// part returns the operand that a view is, if the view is a whole array or the items between two
// positions along the axis, apart from added dimensions of extent 1.
func (v UntypedView) part(axis int) (p joinPart, ok bool) {
	s, ok := v.of.(arrayOrigin)
	if !ok {
		return p, false
	}
	at := s.u.last.Load()
	shape, chunk, block := make(Shape, len(v.sel.Dims)), make(Shape, len(v.sel.Dims)), make(Shape, len(v.sel.Dims))
	next := 0
	for k, dim := range v.sel.Dims {
		if dim == selection.NewDim {
			shape[k], chunk[k], block[k] = 1, 1, 1
			if v.sel.Size[k] != 1 {
				return p, false
			}
			continue
		}
		a := &v.sel.Axes[dim]
		if dim != next || a.List != nil || a.Count > 1 && a.Step != 1 || k != axis && !v.all(dim) {
			return p, false
		}
		if k == axis {
			p.first = a.Start
		}
		shape[k], chunk[k], block[k] = at.part.Shape[dim], at.part.Chunk[dim], at.part.Block[dim]
		next++
	}
	if next != at.part.Dims {
		return p, false
	}
	as, err := grid.New(shape, chunk, block, at.part.ItemSize)
	if err != nil {
		return p, false
	}
	p.u, p.at = s.u, at.withPartition(as)
	return p, true
}

// shapedBlocks reports whether the codec or a filter uses the shape of blocks, or may do so.
func (u *Untyped) shapedBlocks(info frame.Info) bool {
	codec, err := u.engine.Codecs.Lookup(info.Codec.ID())
	return err != nil || codec.Shaped || slices.ContainsFunc(info.Pipeline[:], func(s shuffle.Spec) bool {
		row, err := u.engine.Filters.Lookup(s.ID)
		return err != nil || row.Shaped
	})
}

// arrange decides the partition of the new array, based on like, and which chunks are taken over.
func (j *joinPlan) arrange(like *grid.Partition, o *CopyOptions) (err error) {
	at := j.first.last.Load()
	j.plan = copying{source: j.first, options: *o, method: CopyRechunk, from: like}
	if j.plan.to, err = j.plan.partition(at.withPartition(like)); err != nil {
		return err
	}
	j.to, j.workers = j.plan.to, j.first.workers
	info := at.view.Info()
	j.plan.chooseBoxes(o, info)
	for _, u := range j.hold.readers {
		u.workers = j.plan.workers
	}
	plain := !j.first.shapedBlocks(info)
	for i := range j.parts {
		p := &j.parts[i]
		other := p.at.view.Info()
		// Codecs and filters that know the shape of blocks could not read blocks that got one more
		// dimension.
		p.same = p.at.part.Chunk == j.to.Chunk && p.at.part.Block == j.to.Block && p.u.dtype.Equal(j.first.dtype) &&
			!o.recodes(other) && !o.recodes(info) && (plain || like.Dims == p.u.part.Dims) &&
			other.Codec == info.Codec && other.Level == info.Level && other.Pipeline == info.Pipeline &&
			other.Split == info.Split && other.ZarrBlocks == info.ZarrBlocks
	}
	return j.plan.settleFilters(info)
}
