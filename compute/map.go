package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// Map makes an array at path, or in memory if path is "", of what fn makes of the items of x. fn fills dst, of the same length as the values, which are items in C order of
// some box; it is called once for each chunk of the result, for several at a time, and may change the values. With o nil the result has the chunks and blocks of x,
// if that is a whole array. Some chunks per worker are in memory at a time. An error leaves no array.
func Map[R, T ndarray.Element](ctx context.Context, path string, x ndarray.Source[T], fn func(dst []R, x []T), o *ndarray.Options) (ndarray.Array[R], error) {
	p := &operand[T]{src: x}
	return combine(ctx, path, x, []boxReader{p}, func(dst []R, box []any) { fn(dst, box[0].([]T)) }, o)
}

// Map2 is [Map] of two arrays of one shape; their chunks may differ.
func Map2[R, T, U ndarray.Element](ctx context.Context, path string, x ndarray.Source[T], y ndarray.Source[U], fn func(dst []R, x []T, y []U),
	o *ndarray.Options) (ndarray.Array[R], error) {
	readers := []boxReader{&operand[T]{src: x}, &operand[U]{src: y}}
	return combine(ctx, path, x, readers, func(dst []R, box []any) { fn(dst, box[0].([]T), box[1].([]U)) }, o)
}

// Map3 is [Map] of three arrays of one shape; their chunks may differ.
func Map3[R, T, U, V ndarray.Element](ctx context.Context, path string, x ndarray.Source[T], y ndarray.Source[U], z ndarray.Source[V],
	fn func(dst []R, x []T, y []U, z []V), o *ndarray.Options) (ndarray.Array[R], error) {
	readers := []boxReader{&operand[T]{src: x}, &operand[U]{src: y}, &operand[V]{src: z}}
	return combine(ctx, path, x, readers, func(dst []R, box []any) { fn(dst, box[0].([]T), box[1].([]U), box[2].([]V)) }, o)
}

// MapN is [Map] of any number of arrays, one at least, of one shape and type; their chunks may differ.
func MapN[R, T ndarray.Element](ctx context.Context, path string, xs []ndarray.Source[T], fn func(dst []R, xs [][]T), o *ndarray.Options) (ndarray.Array[R], error) {
	if len(xs) == 0 {
		return ndarray.Array[R]{}, fmt.Errorf("map of no arrays: %w", cairn.ErrBounds)
	}
	readers := make([]boxReader, len(xs))
	for i, x := range xs {
		readers[i] = &operand[T]{src: x}
	}
	return combine(ctx, path, xs[0], readers, func(dst []R, box []any) {
		values := make([][]T, len(box))
		for i, b := range box {
			values[i] = b.([]T)
		}
		fn(dst, values)
	}, o)
}

// A boxReader is a source of any type.
type boxReader interface {
	freeze(ctx context.Context) error
	shape() ndarray.Shape
	// read returns the items of a box, as a slice of the source's type, in the memory of buf if they fit into that.
	read(ctx context.Context, buf any, items int, start, stop []int64) (any, error)
}

// An operand is a source of items of type T.
type operand[T ndarray.Element] struct{ src ndarray.Source[T] }

func (p *operand[T]) freeze(ctx context.Context) (err error) {
	p.src, err = ndarray.Frozen(ctx, p.src, 1) // what is parallel is around it
	return err
}

func (p *operand[T]) shape() ndarray.Shape { return p.src.Shape() }

func (p *operand[T]) read(ctx context.Context, buf any, items int, start, stop []int64) (any, error) {
	values, _ := buf.([]T)
	if cap(values) < items {
		values = make([]T, items)
	}
	values = values[:items]
	return values, p.src.ReadBox(ctx, values, start, stop)
}

// combine makes an array of what fn makes of the boxes of operands. first is the source of the first one.
func combine[R, T ndarray.Element](ctx context.Context, path string, first ndarray.Source[T], operands []boxReader, fn func(dst []R, box []any),
	o *ndarray.Options) (ndarray.Array[R], error) {
	quiet := ndarray.WithProgress(ctx, nil) // the result tells
	for _, p := range operands {
		if err := p.freeze(ctx); err != nil {
			return ndarray.Array[R]{}, err
		}
	}
	shape := operands[0].shape()
	for _, p := range operands[1:] {
		if !slices.Equal(p.shape(), shape) {
			return ndarray.Array[R]{}, fmt.Errorf("map of arrays of the shapes %v and %v: %w", shape, p.shape(), cairn.ErrBounds)
		}
	}
	if a, ok := first.(ndarray.Array[T]); ok && o == nil {
		o = &ndarray.Options{ChunkShape: a.ChunkShape(), BlockShape: a.BlockShape()}
	}
	buffers := make(chan []any, 1024) // as many as are in use at a time, or fewer
	return ndarray.FromBoxes(ctx, path, shape, func(dst []R, start, stop []int64) error {
		var box []any
		select {
		case box = <-buffers:
		default:
			box = make([]any, len(operands))
		}
		for i, p := range operands {
			var err error
			if box[i], err = p.read(quiet, box[i], len(dst), start, stop); err != nil {
				return err
			}
		}
		fn(dst, box)
		select {
		case buffers <- box:
		default:
		}
		return nil
	}, o)
}
