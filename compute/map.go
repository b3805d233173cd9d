package compute

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// Map makes an array at path, or in memory if path is "", of what fn makes of the items of x. fn
// fills dst, of the same length as the values, which are items in C order of some box; it is called
// for the chunks of the result, or runs of items of them, several at a time, and may change the
// values. With o nil the result has the chunks and blocks of x, if that is a whole array. T and R
// are Go types as for [ndarray.Array]. An error leaves no array; it matches [cairn.ErrType] if T is
// no type for the dtype of x. The file is there when the result is committed or closed, as with
// [ndarray.Create].
//
// What it takes stays within [ndarray.Options.Memory], or what one chunk of the result takes if
// that is more: three times its size, and twice that of each operand's items for it. If one per
// goroutine does not fit, fewer chunks are at hand, and several goroutines work on each.
func Map[R, T any](ctx context.Context, path string, x ndarray.Source, fn func(dst []R,
	x []T), o *ndarray.Options) (ndarray.Array[R], error) {
	return combine(ctx, path, x, []opener{operandOf[T](x)}, func(dst []R, box []any) { fn(dst, box[0].([]T)) }, o)
}

// Map2 is [Map] of two arrays of one shape; their chunks may differ.
func Map2[R, T, U any](ctx context.Context, path string, x ndarray.Source,
	y ndarray.Source, fn func(dst []R, x []T, y []U),
	o *ndarray.Options) (ndarray.Array[R], error) {
	openers := []opener{operandOf[T](x), operandOf[U](y)}
	return combine(ctx, path, x, openers, func(dst []R, box []any) { fn(dst, box[0].([]T), box[1].([]U)) }, o)
}

// MapN is [Map] of any number of arrays, one at least, of one shape and type; their chunks may
// differ.
func MapN[R, T any](ctx context.Context, path string, xs []ndarray.Source,
	fn func(dst []R, xs [][]T), o *ndarray.Options) (ndarray.Array[R], error) {
	if len(xs) == 0 {
		return ndarray.Array[R]{}, fmt.Errorf("map of no arrays: %w", cairn.ErrBounds)
	}
	openers := make([]opener, len(xs))
	for i, x := range xs {
		openers[i] = operandOf[T](x)
	}
	return combine(ctx, path, xs[0], openers, func(dst []R, box []any) {
		values := make([][]T, len(box))
		for i, b := range box {
			values[i] = b.([]T)
		}
		fn(dst, values)
	}, o)
}
