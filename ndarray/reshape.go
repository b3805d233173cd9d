package ndarray

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// reshape is Reshape.
func (a *array) reshape(ctx context.Context, path string, shape Shape, o *CopyOptions) (made *array, err error) {
	if o == nil {
		o = &CopyOptions{}
	}
	if err := o.validate(); err != nil {
		return nil, err
	}

	at, release, err := a.beginFlushedRead(ctx)
	if err != nil {
		return nil, err
	}
	defer endRead(release, &err)
	shape, err = resolveShape(shape, at.part.ItemCount)
	if err != nil {
		return nil, a.inArray(fmt.Errorf("reshape of %v: %w", a.vec(at.part.Shape), err))
	}

	r := &reshapeCopy{copying: copying{source: a, options: *o, method: CopyRechunk, from: at.part}}
	info := at.view.Info()
	ao := &Options{ChunkShape: o.ChunkShape, BlockShape: o.BlockShape, ZarrBlocks: o.zarrBlocks(info)}
	ao.Codec, ao.Level = o.codecAndLevel(info)
	r.to, err = autoPartition(shape, a.typeSize(), ao)
	if err != nil {
		return nil, a.inArray(fmt.Errorf("reshape: %w", err))
	}
	if err := r.settleFilters(info); err != nil {
		return nil, a.inArray(fmt.Errorf("reshape: %w", err))
	}

	// a quarter of the memory is for the window, the rest for the box that is filled from it
	r.window = max(r.chooseWorkers(o, info)/4, at.part.ItemSize)
	r.chooseBox(3 * r.window)
	r.at = at
	r.reader = a.snapshotAt(at)
	r.reader.workers = r.workers
	return r.create(ctx, path, a, at, r.fill)
}

// resolveShape replaces an extent of -1, and checks that a shape has the given number of items.
func resolveShape(shape Shape, items int64) (Shape, error) {
	shape = slices.Clone(shape)
	open := slices.Index(shape, -1)
	if open >= 0 {
		shape[open] = 1
	}
	if slices.ContainsFunc(shape, func(n int64) bool { return n < 0 }) {
		return nil, fmt.Errorf("to %v: %w", shape, cairn.ErrBounds)
	}

	n, ok := grid.Product(shape)
	if open >= 0 && ok && n > 0 && items%n == 0 {
		shape[open] = items / n
		n = items
	}
	if !ok || n != items {
		return nil, fmt.Errorf("%d items into shape %v: %w", items, shape, cairn.ErrBounds)
	}
	return shape, nil
}

// reshapeCopy fills the new array in boxes of whole chunks. The items of a box are runs in C order,
// which are read from the old array in windows.
type reshapeCopy struct {
	copying
	reader  *array
	at      *state
	window  int64 // bytes of the old array to read at a time
	runAxis int   // the items of a box along this dimension and all inner ones are one run

	windowData  []byte
	windowStart int64 // number of the first item in windowData
}

// chooseBox chooses the boxes with the longest runs that fit into budget bytes.
func (r *reshapeCopy) chooseBox(budget int64) {
	p := r.to
	boxes := &r.boxes
	for k := 0; ; k++ {
		r.runAxis = k
		boxes.BoxBytes = p.ItemSize
		for i := range p.Dims {
			boxes.Edge[i] = p.Shape[i]
			if i <= k {
				boxes.Edge[i] = min(p.Chunk[i], p.Shape[i])
			}
			boxes.BoxBytes *= boxes.Edge[i]
		}
		if boxes.BoxBytes <= budget || k+1 >= p.Dims {
			break
		}
	}
	if p.Dims == 0 || boxes.BoxBytes <= 0 {
		return
	}

	// the budget may hold several chunks along the axis of the runs
	k := r.runAxis
	more := min(p.ChunkGrid[k], max(1, budget/boxes.BoxBytes))
	long := min(p.Shape[k], more*p.Chunk[k])
	boxes.BoxBytes = boxes.BoxBytes / boxes.Edge[k] * long
	boxes.Edge[k] = long
}

// fill writes the items of the new array.
func (r *reshapeCopy) fill(ctx context.Context, made *array) error {
	to := r.to.Shape[:r.to.Dims]
	return r.eachBox(ctx, made, make(Shape, len(to)), to, r.report(), func(
		ctx context.Context, b slab.Box, room roomFunc) (change, error) {
		dense := room()
		return change{src: dense}, r.gather(ctx, dense, b.Start, b.Stop)
	})
}

// gather reads the items of a box, run by run.
func (r *reshapeCopy) gather(ctx context.Context, dst []byte, start, stop []int64) error {
	length := int64(len(dst)) // of a run
	for i := range r.runAxis {
		length /= stop[i] - start[i]
	}

	at := slices.Clone(start)
	last := r.number(stop, -1) + 1
	r.windowData = r.windowData[:0]
	for ; len(dst) > 0; dst = dst[length:] {
		if err := r.run(ctx, dst[:length], r.number(at, 0), last); err != nil {
			return err
		}
		advance(at[:r.runAxis], start, stop)
	}
	return nil
}

// number returns the number of an item of the new array in C order; add is added to each
// coordinate.
func (r *reshapeCopy) number(at []int64, add int64) (n int64) {
	for i := range at {
		n = n*r.to.Shape[i] + at[i] + add
	}
	return n
}

// run copies a run that begins with item number first. A short run comes from a window, which will
// also serve later runs of the box; last is where the box ends.
func (r *reshapeCopy) run(ctx context.Context, dst []byte, first, last int64) error {
	size := r.to.ItemSize
	if int64(len(dst)) >= r.window/2 {
		return r.readItems(ctx, dst, first)
	}

	offset := (first - r.windowStart) * size
	if offset < 0 || offset+int64(len(dst)) > int64(len(r.windowData)) {
		r.windowData = slab.Resize(r.windowData, min(r.window/size, last-first)*size)
		if err := r.readItems(ctx, r.windowData, first); err != nil {
			r.windowData = r.windowData[:0]
			return err
		}
		r.windowStart = first
		offset = 0
	}
	copy(dst, r.windowData[offset:])
	return nil
}

// readItems reads items of the old array that are consecutive in C order, in as few boxes as
// possible.
func (r *reshapeCopy) readItems(ctx context.Context, dst []byte, first int64) error {
	p := r.at.part
	for len(dst) > 0 {
		left := int64(len(dst)) / p.ItemSize

		// coordinates of the first item, and the outermost dimension along which whole steps fit
		var start, stop grid.Vec
		size := int64(1) // items in a step along dimension i
		axis := -1
		inside := int64(1) // items in a step along axis
		for i := p.Dims - 1; i >= 0; i-- {
			start[i] = first / size % p.Shape[i]
			stop[i] = start[i] + 1
			if first%size == 0 && size <= left {
				axis = i
				inside = size
			}
			size *= p.Shape[i]
		}

		bytes := p.ItemSize
		if axis >= 0 {
			count := min(left/inside, p.Shape[axis]-start[axis])
			stop[axis] = start[axis] + count
			for i := axis + 1; i < p.Dims; i++ {
				start[i] = 0
				stop[i] = p.Shape[i]
			}
			bytes *= count * inside
		}

		err := r.reader.readBox(ctx, r.at, dst[:bytes], start[:p.Dims], stop[:p.Dims], 0)
		if err != nil {
			return err
		}
		dst = dst[bytes:]
		first += bytes / p.ItemSize
	}
	return nil
}
