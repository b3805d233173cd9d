package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
)

// Split makes new arrays of the parts into which an array is cut along an axis, which counts from the end if it is negative: before each of the items that at names, in ascending
// order, as numpy.split does; [Sections] names those of equal parts. path returns where part number i goes, or an empty text for memory, as a nil function does for all. Nothing is under the
// paths before the first Commit or Close of the parts; an error leaves nothing behind. o may be nil. Chunks that are the same in a part are taken over as they are encoded.
func (u *Untyped) Split(ctx context.Context, axis int, at []int64, path func(i int) string, o *CopyOptions) (made []*Untyped, err error) {
	u = u.own()
	if o == nil {
		o = &CopyOptions{}
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	now, release, err := u.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave(release, &err)
	dims := now.part.Dims
	if axis < -dims || axis >= dims {
		return nil, u.inArray(fmt.Errorf("split: axis %d of %d dimensions: %w", axis, dims, cairn.ErrBounds))
	}
	axis = (axis + dims) % dims
	parts := &sections{}
	err = orAbort(parts, func() error {
		extent, from := now.part.Shape[axis], int64(0)
		for i := range len(at) + 1 {
			to := extent
			if i < len(at) {
				to = at[i]
			}
			if to < from || to > extent {
				return u.inArray(fmt.Errorf("split: before item %d along axis %d, which has %d, after item %d: %w", to, axis, extent, from, cairn.ErrBounds))
			}
			var name string
			if path != nil {
				name = path(i)
			}
			one, err := u.section(ctx, now, name, axis, from, to, o)
			if err != nil {
				return err
			}
			parts.made, from = append(parts.made, one), to
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return parts.made, nil
}

// sections are the parts that Split has made so far.
type sections struct{ made []*Untyped }

// Abort aborts all of them.
func (s *sections) Abort() (err error) {
	for _, u := range s.made {
		err = errors.Join(err, u.Abort())
	}
	return err
}

// Sections returns where [Untyped.Split] has to cut extent items for n parts that differ by one item at most, the longer ones first, as numpy.array_split does. n is at least 1.
func Sections(extent int64, n int) []int64 {
	at := make([]int64, max(0, n-1))
	for i := range at {
		k := int64(i + 1)
		at[i] = extent/int64(n)*k + min(k, extent%int64(n))
	}
	return at
}

// section makes an array of the items from up to, not including, to along an axis.
func (u *Untyped) section(ctx context.Context, at *moment, path string, axis int, from, to int64, o *CopyOptions) (*Untyped, error) {
	p := newPart(u, at, at.part, 0)
	p.first, p.stop = from, to-from
	shape := u.vec(at.part.Shape)
	shape[axis] = to - from
	cut, err := newPartition(shape, u.vec(at.part.Chunk), u.vec(at.part.Block), u.TypeSize())
	if err != nil {
		return nil, u.inArray(fmt.Errorf("split: %w", err))
	}
	j := &joint{axis: axis, parts: []part{p}}
	if err := j.arrange(u, at, cut, o); err != nil {
		return nil, u.inArray(fmt.Errorf("split: %w", err))
	}
	return j.plan.create(ctx, path, u, at, j.fill)
}
