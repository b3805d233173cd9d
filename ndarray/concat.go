package ndarray

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/shuffle"
)

// ConcatUntyped makes a new array of others, one behind the other along an axis, which counts from the end if it is negative. They must have one dtype, or it fails with [cairn.ErrType],
// and one shape but for the axis. Codec, filters, chunks, blocks and metalayers are those of the first array where o, which may be nil, does not say otherwise. An empty
// path makes the array in memory; else nothing is under the path before the first Commit or Close, as with [Create].
//
// Chunks that are the same in the new array are taken over as they are encoded: those of arrays with the same encoding, chunks and blocks that begin where a chunk of the new array
// does. Only the others are decoded, within the memory that o allows. [ConcatViews] joins arrays without copying.
func ConcatUntyped(ctx context.Context, path string, axis int, arrays []*Untyped, o *CopyOptions) (*Untyped, error) {
	return joinArrays(ctx, "concat", path, axis, arrays, o, false)
}

// StackUntyped makes a new array of others of one shape, one behind the other along a new axis; see [ConcatUntyped]. Chunks have one item along it, unless o says
// otherwise; then they are taken over as they are encoded.
func StackUntyped(ctx context.Context, path string, axis int, arrays []*Untyped, o *CopyOptions) (*Untyped, error) {
	return joinArrays(ctx, "stack", path, axis, arrays, o, true)
}

// joinArrays makes an array of others, along an axis that they have or along a new one.
func joinArrays(ctx context.Context, what, path string, axis int, arrays []*Untyped, o *CopyOptions, newAxis bool) (made *Untyped, err error) {
	if o == nil {
		o = &CopyOptions{}
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(arrays) == 0 {
		return nil, fmt.Errorf("%s: no arrays: %w", what, cairn.ErrBounds)
	}
	dims := arrays[0].Dims()
	if newAxis {
		dims++
	}
	if axis < -dims || axis >= dims {
		return nil, fmt.Errorf("%s: axis %d of %d dimensions: %w", what, axis, dims, cairn.ErrBounds)
	}
	j := &joint{axis: (axis + dims) % max(1, dims)}
	var first *moment
	for _, u := range arrays {
		at, release, err := u.enter(ctx)
		if err != nil {
			return nil, err
		}
		// All of them stay as they are until the end.
		defer func() {
			if leave(release, &err); err != nil && made != nil {
				err = errors.Join(err, made.Abort())
				made = nil
			}
		}()
		if first == nil {
			first = at
		}
		if err := j.add(arrays[0], u, at, newAxis); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
	}
	if err := j.prepare(arrays[0], first, o); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return j.plan.create(ctx, path, arrays[0], first, j.fill)
}

// add adds all of an array, which must go together with the first one.
func (j *joint) add(first, u *Untyped, at *moment, newAxis bool) error {
	if u.dtypeText != first.dtypeText || u.TypeSize() != first.TypeSize() {
		return u.inArray(fmt.Errorf("dtype %s of %d bytes, the first array has %s of %d: %w", u.dtypeText, u.TypeSize(), first.dtypeText, first.TypeSize(), cairn.ErrType))
	}
	as := at.part
	if newAxis {
		var err error
		if as, err = grid.New(slices.Insert(u.vec(as.Shape), j.axis, 1), slices.Insert(u.vec(as.Chunk), j.axis, 1), slices.Insert(u.vec(as.Block), j.axis, 1), as.ItemSize); err != nil {
			return err
		}
	}
	p := newPart(u, at, as, 0)
	if len(j.parts) > 0 {
		before := &j.parts[0]
		x, y := before.at.part.Shape, as.Shape
		x[j.axis], y[j.axis] = 0, 0
		if as.Dims != before.at.part.Dims || x != y {
			return u.inArray(fmt.Errorf("shape %v and %v differ in more than axis %d: %w", u.vec(at.part.Shape), first.Shape(), j.axis, cairn.ErrBounds))
		}
		p.start = j.parts[len(j.parts)-1].stop
	}
	p.stop = p.start + as.Shape[j.axis]
	if p.stop < p.start {
		return fmt.Errorf("more items along axis %d than 63 bits can count: %w", j.axis, cairn.ErrLimit)
	}
	j.parts = append(j.parts, p)
	return nil
}

// prepare works out the geometry of the new array, and what is taken over.
func (j *joint) prepare(u *Untyped, at *moment, o *CopyOptions) error {
	like := j.parts[0].at.part
	shape := slices.Clone(Shape(like.Shape[:like.Dims]))
	shape[j.axis] = j.parts[len(j.parts)-1].stop
	grown, err := newPartition(shape, like.Chunk[:like.Dims], like.Block[:like.Dims], int(like.ItemSize))
	if err != nil {
		return err
	}
	return j.arrange(u, at, grown, o)
}

// shapedBlocks reports whether the codec or a filter looks at the shape of blocks, or may do so.
func (u *Untyped) shapedBlocks(info frame.Info) bool {
	codec, err := u.decode.Codecs.Lookup(info.Codec.ID())
	return err != nil || codec.Shaped || slices.ContainsFunc(info.Pipeline[:], func(s shuffle.Spec) bool {
		row, err := u.decode.FilterSet.Lookup(s.ID)
		return err != nil || row.Shaped
	})
}

// arrange decides on the partition of the new array, which would be like that of the first part, and on what is taken over.
func (j *joint) arrange(u *Untyped, at *moment, like *grid.Partition, o *CopyOptions) (err error) {
	reader := *j.parts[0].at
	reader.part = like
	j.plan = CopyPlan{source: j.parts[0].u, options: *o, method: CopyRechunk, from: like}
	if j.plan.to, err = j.plan.partition(&reader); err != nil {
		return err
	}
	j.to = j.plan.to
	info := at.view.Info()
	j.plan.budget(o, info)
	plain := !u.shapedBlocks(info)
	for i := range j.parts {
		p := &j.parts[i]
		other := p.at.view.Info()
		p.u.workers = j.plan.workers
		// Codecs and filters that know the shape of blocks would not read those that got one more dimension.
		p.same = p.at.part.Chunk == j.to.Chunk && p.at.part.Block == j.to.Block && !o.recodes(other) && !o.recodes(info) && (plain || like.Dims == u.Dims()) &&
			other.Codec == info.Codec && other.Level == info.Level && other.Pipeline == info.Pipeline &&
			other.Split == info.Split
	}
	j.total = j.to.ItemCount * j.to.ItemSize
	return j.plan.settle(info)
}
