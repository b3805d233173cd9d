package compute

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/ndarray"
)

// denseBytes is the maximum size of a result that is collected in memory and written at once.
// Larger results are written tile by tile, and so are those from directBytes on that stay in
// memory, which would be there twice, if tiles have leastTile bytes.
const (
	denseBytes  = 64 << 20
	directBytes = 4 << 20
	leastTile   = 256 << 10
)

// levelStored is the compression level that means no compression.
const levelStored = -1

// An output collects the tiles of a result.
type output[R any] struct {
	array   ndarray.Array[R]
	shape   ndarray.Shape
	reduced []bool
	keep    bool

	mu    sync.Mutex
	dense []R // all items, or nil if they exceed denseBytes
}

func newOutput[R any](o *Options, dtype string, shape, chunk ndarray.Shape, reduced []bool) (*output[R], error) {
	out := &output[R]{shape: o.project(shape, reduced), reduced: reduced, keep: o.KeepDims}
	items := int64(1)
	for _, n := range out.shape {
		items *= n // cannot overflow: bounded by the product of the array's nonzero extents
	}

	var options ndarray.Options
	if o.Array != nil {
		options = *o.Array
	} else if o.Path == "" {
		options.Level = levelStored // it is usually read soon, and means hardly compress
	}

	size := int64(reflect.TypeFor[R]().Size())
	most := int64(denseBytes)
	if o.Array == nil && o.Path == "" && itemsOf(o.project(chunk, reduced))*size >= leastTile {
		most = directBytes
	}

	if items <= most/size {
		out.dense = make([]R, items)
	} else if options.ChunkShape == nil && options.BlockShape == nil {
		options.ChunkShape = o.project(chunk, reduced) // so that each tile is a chunk
	}

	var err error
	if out.array, err = createAs[R](o, dtype, out.shape, &options); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return out, nil
}

// createAs creates an array at the path of the options or, if that is "", in memory. dtype must fit
// R; "" means R's own.
func createAs[R any](to *Options, dtype string, shape ndarray.Shape, o *ndarray.Options) (
	a ndarray.Array[R], err error) {
	if dtype == "" {
		if dtype, err = govalue.DType(reflect.TypeFor[R]()); err != nil {
			return a, err
		}
	}

	var u *ndarray.Untyped
	switch {
	case to.scratch != nil:
		u, err = to.scratch(dtype, shape, o)
	case to.Path == "":
		u, err = ndarray.NewUntyped(dtype, shape, o)
	default:
		u, err = ndarray.CreateUntyped(to.Path, dtype, shape, o)
	}
	if err != nil {
		return a, err
	}
	return ndarray.As[R](u)
}

// tileMemory returns memory for the items of a tile: dense itself if the tile is the whole result.
func (out *output[R]) tileMemory(t *tile) []R {
	if t.cells == len(out.dense) {
		return out.dense
	}
	return make([]R, t.cells)
}

// put stores the items of a tile, which are in memory from tileMemory.
func (out *output[R]) put(ctx context.Context, t *tile, values []R) error {
	var start, stop []int64
	for i, reduced := range out.reduced {
		switch {
		case !reduced:
			start = append(start, t.start[i])
			stop = append(stop, t.stop[i])
		case out.keep:
			start = append(start, 0)
			stop = append(stop, 1)
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

// finish writes the collected items.
func (out *output[R]) finish(ctx context.Context) error {
	if out.dense == nil {
		return nil
	}
	return out.array.Write(ctx, out.dense)
}
