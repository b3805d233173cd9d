package compute

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
)

// denseBytes is the most memory that a result is gathered in before it is written; larger ones are
// written as their parts are complete.
const denseBytes = 64 << 20

// stored is the level that means no compression.
const stored = -1

// reduce runs a reduction: cells accumulate, result makes an item of the result of one.
func reduce[T any, C cells[T, C], R any](ctx context.Context, feed feeder[T], src ndarray.Source,
	o *Options, indexed bool, newCells func() C, result func(c C, cell int) (R, error)) (*ndarray.Untyped, error) {
	f, err := feed(ctx, src, o.share())
	if err != nil {
		return nil, err
	}
	return reduceTo(ctx, f, o, indexed, "", newCells, result)
}

// reduceTo is reduce of what is shown, with a dtype of the result, or "" for that of R.
func reduceTo[T any, C cells[T, C], R any](ctx context.Context, f *feed[T], o *Options, indexed bool,
	dtype string, newCells func() C, result func(c C, cell int) (R, error)) (*ndarray.Untyped, error) {
	reduced, err := o.resolve(len(f.shape))
	if err != nil {
		return nil, err
	}
	s := &sweep[T, C]{shape: f.shape, chunk: f.ChunkShape(), reduced: reduced, indexed: indexed, newCells: newCells}
	out, err := newOutput[R](o, dtype, f.shape, s.chunk, reduced)
	if err != nil {
		return nil, err
	}
	quiet := ndarray.WithProgress(ctx, nil) // the pass tells
	s.tileDone = func(t *tile, c C) error {
		values := out.room(t)
		for i := range values {
			var err error
			if values[i], err = result(c, i); err != nil {
				return err
			}
		}
		return out.put(quiet, t, values)
	}
	done := false
	defer func() {
		if !done { // by an error, or because a source panicked
			out.array.Abort()
		}
	}()
	err = s.run(ctx, f, parallel.Within(o.share(), s.workerBytes(), f.Workers()))
	if err == nil {
		err = out.finish(quiet)
	}
	if err != nil {
		return nil, err
	}
	done = true
	return out.array.Untyped, nil
}

// An output takes the tiles of a result.
type output[R any] struct {
	array   ndarray.Array[R]
	shape   ndarray.Shape
	reduced []bool
	keep    bool

	mu    sync.Mutex
	dense []R // of all items, if they are not too many
}

func newOutput[R any](o *Options, dtype string, shape, chunk ndarray.Shape, reduced []bool) (*output[R], error) {
	out := &output[R]{shape: o.project(shape, reduced), reduced: reduced, keep: o.KeepDims}
	items := int64(1)
	for _, n := range out.shape {
		items *= n // no more than the array has, or than its other dimensions if one is 0
	}
	var options ndarray.Options
	if o.Array != nil {
		options = *o.Array
	} else if o.Path == "" {
		options.Level = stored // it is about to be read, and means of many items hardly compress
	}
	if items <= denseBytes/int64(reflect.TypeFor[R]().Size()) {
		out.dense = make([]R, items)
	} else if options.ChunkShape == nil && options.BlockShape == nil {
		options.ChunkShape = o.project(chunk, reduced) // so that a tile is a chunk
	}
	var err error
	if out.array, err = createAs[R](o.Path, dtype, out.shape, &options); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return out, nil
}

// createAs creates an array of R at a path, or in memory, with a dtype that R fits, or "" for R's
// own.
func createAs[R any](path, dtype string, shape ndarray.Shape, o *ndarray.Options) (a ndarray.Array[R], err error) {
	if dtype == "" {
		if dtype, err = govalue.DType(reflect.TypeFor[R]()); err != nil {
			return a, err
		}
	}
	var u *ndarray.Untyped
	if path == "" {
		u, err = ndarray.NewUntyped(dtype, shape, o)
	} else {
		u, err = ndarray.CreateUntyped(path, dtype, shape, o)
	}
	if err != nil {
		return a, err
	}
	return ndarray.As[R](u)
}

// room returns memory for the items of a tile: where they are gathered, if that is all of it.
func (out *output[R]) room(t *tile) []R {
	if t.cells == len(out.dense) {
		return out.dense
	}
	return make([]R, t.cells)
}

// put takes the items of a tile, in memory from room.
func (out *output[R]) put(ctx context.Context, t *tile, values []R) error {
	var start, stop []int64
	for i, reduced := range out.reduced {
		switch {
		case !reduced:
			start, stop = append(start, t.start[i]), append(stop, t.stop[i])
		case out.keep:
			start, stop = append(start, 0), append(stop, 1)
		}
	}
	if out.dense == nil {
		return out.array.WriteBox(ctx, values, start, stop)
	}
	if len(values) == len(out.dense) {
		return nil
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	last := len(start) - 1
	run := int(stop[last] - start[last])
	at := append([]int64(nil), start...)
	for ; len(values) > 0; values = values[run:] {
		to := int64(0)
		for i, x := range at {
			to = to*out.shape[i] + x
		}
		copy(out.dense[to:], values[:run])
		advance(at[:last], start, stop)
	}
	return nil
}

// finish writes what was gathered.
func (out *output[R]) finish(ctx context.Context) error {
	if out.dense == nil {
		return nil
	}
	return out.array.Write(ctx, out.dense)
}
