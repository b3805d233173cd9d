package ndarray

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
)

// FromBoxes creates an array of items of type T at path, or in memory if path is "", from a function
// that makes the items of a box: it fills dst, all of it, with the items from start up to, not including,
// stop, in C order. Boxes are the array's chunks, cut at its edge; fill is called once for each, for as
// many at a time as there is room for in [Options.Memory]. An error of fill, or the end of ctx, leaves no
// array. dst and the coordinates are fill's until it returns. The file is there when the array is
// committed or closed, as with Create.
func FromBoxes[T any](ctx context.Context, path string, shape Shape,
	fill func(dst []T, start, stop []int64) error, o *Options) (Array[T], error) {
	return fromParts(ctx, path, shape, func(_ int, dst []T, start, stop []int64) error {
		return fill(dst, start, stop)
	}, o)
}

// fromParts is FromBoxes for a function that also learns how many goroutines it may use.
func fromParts[T any](ctx context.Context, path string, shape Shape,
	fill func(workers int, dst []T, start, stop []int64) error, o *Options) (Array[T], error) {
	a, err := createAt[T](path, shape, o)
	if err != nil {
		return a, err
	}
	if err := orAbort(a, func() error { return a.generate(ctx, fill) }); err != nil {
		return Array[T]{}, err
	}
	return a, nil
}

// fromSlabs is FromBoxes for a function that may be called for parts of a chunk, several at a time.
func fromSlabs[T any](ctx context.Context, path string, shape Shape,
	fill func(dst []T, start, stop []int64), o *Options) (Array[T], error) {
	return fromParts(ctx, path, shape, func(workers int, dst []T, start, stop []int64) error {
		if len(start) == 0 || len(dst) == 0 || workers == 1 {
			fill(dst, start, stop)
			return nil
		}
		axis := 0 // the first with more than one item: parts along it are runs of items
		for axis < len(start)-1 && stop[axis]-start[axis] == 1 {
			axis++
		}
		n := int(min(int64(workers), stop[axis]-start[axis]))
		rows, items := stop[axis]-start[axis], int64(len(dst))/(stop[axis]-start[axis])
		return parallel.For(ctx, n, n, func(_, k int) error {
			from, to := rows*int64(k)/int64(n), rows*int64(k+1)/int64(n)
			first, last := slices.Clone(start), slices.Clone(stop)
			first[axis], last[axis] = start[axis]+from, start[axis]+to
			fill(dst[from*items:to*items], first, last)
			return nil
		})
	}, o)
}

// FromFunc creates an array at path, or in memory if path is "", of what fn makes of each item's
// coordinates. fn is called once for each item, for several at a time, and must not keep the coordinates.
// The file is there when the array is committed or closed.
func FromFunc[T any](ctx context.Context, path string, shape Shape, fn func(at []int64) T,
	o *Options) (Array[T], error) {
	return fromSlabs(ctx, path, shape, func(dst []T, start, stop []int64) {
		at := slices.Clone(start)
		for i := range dst {
			dst[i] = fn(at)
			advance(at, start, stop)
		}
	}, o)
}

// createAt creates an array at path, or in memory if there is none.
func createAt[T any](path string, shape Shape, o *Options) (Array[T], error) {
	if path == "" {
		return New[T](shape, o)
	}
	return Create[T](path, shape, o)
}

// generate writes every chunk of the array with items that fill makes.
func (a Array[T]) generate(ctx context.Context, fill func(workers int, dst []T, start, stop []int64) error) error {
	part, swap := a.own().u.geometry(), a.own().l.WriteSwap()
	chunks, workers := a.own().u.spread(int(part.ChunkCount))
	buffers := make(chan []T, chunks) // as many as are in use at a time
	encode := func(w *worker, u *Untyped, store *frame.Frame, out, _ []byte) ([]byte, error) {
		var dst []T
		select {
		case dst = <-buffers:
		default:
		}
		var plan boxPlan
		start, stop := part.ChunkBox(w.piece.Chunk)
		if err := planBox(&plan.Plan, part, start[:part.Dims], stop[:part.Dims]); err != nil {
			return out, err
		}
		plan.Swap(swap)
		plan.take(w, 0)
		dst = resize(dst, int(plan.Bytes/part.ItemSize))
		if err := fill(workers, dst, start[:part.Dims], stop[:part.Dims]); err != nil {
			return out, err
		}
		items, err := a.own().items(ctx, govalue.SpanOf(dst))
		if err == nil {
			out, err = w.encode(u, store, out, items)
		}
		buffers <- dst
		return out, err
	}
	return a.own().u.writePlan(ctx, part, eachWhole{part}, nil, encode)
}

// eachWhole is the plan of all chunks of an array. What is in them is not asked of it.
type eachWhole struct{ part *grid.Partition }

func (p eachWhole) pieces() int { return int(p.part.ChunkCount) } // the index of a frame has room for no more

func (p eachWhole) take(w *worker, index int) { w.piece = piece{Chunk: int64(index), Whole: true} }
