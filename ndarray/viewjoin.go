package ndarray

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// joinOrigin is an origin that joins views along an axis.
type joinOrigin struct {
	parts  []UntypedView
	axis   int
	starts []int64 // start of each along the axis, and the end of the last
}

// Concat returns sources joined along an axis, as one view; nothing is copied before [Save] or
// [Copy]. They must have the same shape except along that axis, and the same dtype, apart from the
// byte order, which is then that of the first. A negative axis counts from the end. The view is
// read-only.
func Concat(axis int, sources ...Source) UntypedView {
	views, first := viewsOf(sources)
	if first.Err() != nil {
		return first
	}
	return join(axis, views)
}

// Stack returns sources of one shape joined along a new axis, as one view; see [Concat]. The axis
// is counted in the result.
func Stack(axis int, sources ...Source) UntypedView {
	views, first := viewsOf(sources)
	if first.Err() != nil {
		return first
	}

	for i, v := range views {
		views[i] = v.ExpandDims(axis)
		if views[i].Err() != nil {
			return views[i]
		}
	}
	return join(axis, views)
}

// viewsOf returns views of sources, with the byte order of the first one, or a view with the first
// error.
func viewsOf(sources []Source) (views []UntypedView, first UntypedView) {
	if len(sources) == 0 {
		return nil, UntypedView{err: fmt.Errorf("view: concatenation of nothing: %w", cairn.ErrBounds)}
	}

	for i, src := range sources {
		v := ViewOf(src)
		if v.Err() != nil {
			return nil, v
		}

		views = append(views, v)
		want := views[0].of.dtype()
		d := v.of.dtype()
		if i == 0 || d.Equal(want) {
			continue
		}

		width := max(govalue.Swap(want), govalue.Swap(d))
		orders := strings.NewReplacer("<", "", ">", "")
		if width == 0 || orders.Replace(d.String()) != orders.Replace(want.String()) {
			return nil, v.fail(fmt.Errorf("concatenation of dtypes %q and %q: %w", want, d, cairn.ErrType))
		}
		views[i].of = byteSwapped{fieldOrigin{origin: v.of, what: meta.Field{Type: want}}, width}
	}
	return views, views[0]
}

// byteSwapped is an origin with the byte order of another origin's numbers reversed.
type byteSwapped struct {
	fieldOrigin
	width int
}

func (t byteSwapped) read(ctx context.Context, dst []byte, m selection.Mesh, host bool) error {
	if host {
		return t.origin.read(ctx, dst, m, true)
	}
	return t.pick(ctx, dst, m, t.width)
}

func (t byteSwapped) frozen(ctx context.Context, h *freezer) (_ origin, err error) {
	t.origin, err = t.origin.frozen(ctx, h)
	return t, err
}

// join concatenates one or more views, which have no errors and equal items.
func join(axis int, views []UntypedView) UntypedView {
	first := views[0]
	resolved, err := dimensions([]int{axis}, first.dims())
	if err != nil {
		return first.fail(err)
	}
	axis = resolved[0]

	j := &joinOrigin{axis: axis, starts: []int64{0}}
	shape := first.Shape()
	end := int64(0)
	for _, v := range views {
		other := v.Shape()
		if len(other) != len(shape) {
			return v.fail(fmt.Errorf("concatenation of shapes %v and %v: %w", first.Shape(), other, cairn.ErrBounds))
		}
		if other[axis] > math.MaxInt64-end {
			return v.fail(fmt.Errorf("concatenation of more items than 63 bits can count: %w", cairn.ErrBounds))
		}

		end += other[axis]
		other[axis] = shape[axis]
		if !slices.Equal(other, shape) {
			return v.fail(fmt.Errorf("concatenation of shapes %v and %v along dimension %d: %w",
				first.Shape(), v.Shape(), axis, cairn.ErrBounds))
		}
		j.add(v)
	}

	shape[axis] = end
	if _, ok := grid.Product(shape); !ok {
		return first.fail(fmt.Errorf("concatenation of more items than 63 bits can count: %w", cairn.ErrBounds))
	}
	return UntypedView{of: j, sel: selection.Everything(shape)}
}

// add adds a view. If the view is itself a join along the same axis, it adds each of its parts.
func (j *joinOrigin) add(v UntypedView) {
	if of, ok := v.of.(*joinOrigin); ok && of.axis == j.axis && v.showsAll(of) {
		for _, one := range of.parts {
			j.add(one)
		}
		return
	}
	j.parts = append(j.parts, v)
	j.starts = append(j.starts, j.starts[len(j.starts)-1]+v.sel.Size[j.axis])
}

// showsAll reports whether the view shows all of a join, unchanged.
func (v UntypedView) showsAll(of *joinOrigin) bool {
	shape := of.parts[0].Shape()
	shape[of.axis] = of.starts[len(of.parts)]
	return v.sel.Plain() && slices.Equal(v.sel.Size, shape)
}

func (j *joinOrigin) typeSize() int64   { return j.parts[0].of.typeSize() }
func (j *joinOrigin) dtype() meta.DType { return j.parts[0].of.dtype() }

func (j *joinOrigin) grid() (chunks, blocks Shape) { return j.parts[0].Grid() }

func (j *joinOrigin) maxAlloc() int64 {
	most := int64(math.MaxInt64)
	for _, v := range j.parts {
		most = min(most, v.of.maxAlloc())
	}
	return most
}

func (j *joinOrigin) workers() int { return j.parts[0].of.workers() }

func (j *joinOrigin) inOrigin(err error) error { return err }

// noteFailure does nothing: joins are not written.
func (j *joinOrigin) noteFailure(*error) {}

func (j *joinOrigin) labels() (Labels, error) { return j.parts[0].Labels() }

func (j *joinOrigin) frozen(ctx context.Context, h *freezer) (origin, error) {
	now := &joinOrigin{parts: slices.Clone(j.parts), axis: j.axis, starts: j.starts}
	for i := range now.parts {
		of, err := now.parts[i].of.frozen(ctx, h)
		if err != nil {
			return nil, err
		}
		now.parts[i].of = of
	}
	return now, nil
}

func (j *joinOrigin) check(each func(meta.DType, int) error) error {
	for _, v := range j.parts {
		if err := v.of.check(each); err != nil {
			return err
		}
	}
	return nil
}

// read reads the items that each part has in the mesh, one part after another.
func (j *joinOrigin) read(ctx context.Context, dst []byte, m selection.Mesh, host bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, v := range j.parts {
		axis, skipped := section(m.Axes[j.axis], j.starts[i], j.starts[i+1])
		if axis.Count == 0 {
			continue
		}

		part := selection.Mesh{Axes: slices.Clone(m.Axes), Memory: m.Memory}
		part.Axes[j.axis] = axis
		part.Memory.Base += skipped * axis.Stride
		if err := v.of.read(ctx, dst, v.sel.Through(part), host); err != nil {
			return err
		}
	}
	return nil
}

// storedChunks returns the chunks of the parts, if all are stored alike.
func (j *joinOrigin) storedChunks(ctx context.Context) (*chunked.Stored, error) {
	parts := make([]*chunked.Stored, len(j.parts))
	apart := false // chunks of parts are none of all
	for i, p := range j.parts {
		s, err := p.storedChunks(ctx)
		if err != nil || s == nil || i > 0 && !s.Equal(parts[0]) {
			return nil, err
		}
		parts[i] = s
		apart = apart || s.Find == nil || j.starts[i]%s.Chunk[j.axis] != 0
	}

	joined := *parts[0]
	if joined.Find = nil; apart {
		return &joined, nil
	}
	joined.Find = func(ctx context.Context, start, stop []int64) (chunked.Place, error) {
		i, begins := slices.BinarySearch(j.starts, start[j.axis])
		if !begins {
			i--
		}
		if stop[j.axis] > j.starts[i+1] {
			return chunked.Place{}, nil
		}
		within := make([]int64, len(start))
		within[j.axis] = -j.starts[i]
		return parts[i].Find(ctx, chunked.Sum(within, start), chunked.Sum(within, stop))
	}
	return &joined, nil
}

func (j *joinOrigin) write(context.Context, []byte, selection.Mesh, bool, []bool) error {
	return errJoined
}

func (j *joinOrigin) fill(context.Context, encodeValue, selection.Mesh) error { return errJoined }

var errJoined = fmt.Errorf("write to a view that joins others: %w", cairn.ErrReadOnly)

// section returns the coordinates of an axis that are in [from, to), relative to from, and how many
// coordinates of the axis come before them.
func section(a grid.Axis, from, to int64) (part grid.Axis, skipped int64) {
	if a.List != nil {
		part = grid.Axis{List: []int64{}, Places: []int64{}, Stride: a.Stride}
		for k, at := range a.List {
			if at < from || at >= to {
				continue
			}
			place := int64(k)
			if a.Places != nil {
				place = a.Places[k]
			}
			part.List = append(part.List, at-from)
			part.Places = append(part.Places, place)
		}
		part.Count = int64(len(part.List))
		return part, 0
	}

	part = a
	if a.Step > 0 || a.Count == 1 {
		step := max(a.Step, 1)
		skipped = stepsTo(a.Start, from, step)
		part.Count = min(a.Count, stepsTo(a.Start, to, step)) - skipped
	} else {
		skipped = stepsTo(-a.Start, -(to - 1), -a.Step)
		part.Count = min(a.Count, stepsTo(-a.Start, -(from-1), -a.Step)) - skipped
	}
	part.Count = max(part.Count, 0)
	part.Start += skipped*a.Step - from
	return part, skipped
}

// stepsTo returns the number of steps from a coordinate to the first one that is not below bound.
func stepsTo(start, bound, step int64) int64 {
	if bound <= start {
		return 0
	}
	return (bound-start-1)/step + 1
}
