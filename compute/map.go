package compute

import (
	"context"

	"github.com/cairn-go/cairn/ndarray"
)

// Map creates an array by applying fn to the items of x. The array is created at path, or in memory
// if path is "". Each call of fn gets the items of a box in C order, and fills dst, which has the
// same length, from them. fn is called concurrently, for chunks of the result or parts of them, and
// may modify the items. If o is nil and x is a whole array, the result has the chunk and block
// shape of x. T and R are Go types as for [ndarray.Array]. After an error there is no array; the
// error matches [cairn.ErrType] if T does not fit the dtype of x. The file appears when the result
// is committed or closed, as with [ndarray.Create].
//
// Memory use is limited by [ndarray.Options.Memory], but is at least that of one chunk of the
// result: three times its size, and for each operand twice the size of the corresponding items. If
// the limit does not allow one chunk per worker, fewer chunks are computed at a time, each by
// several workers.
func Map[R, T any](ctx context.Context, path string, x ndarray.Source, fn func(dst []R,
	x []T), o *ndarray.Options) (ndarray.Array[R], error) {
	return combine(ctx, path, x, []opener{operandOf[T](x)}, func(dst []R, box []any) { fn(dst, box[0].([]T)) }, o)
}

// Map2 is [Map] for two arrays of the same shape. Their chunk shapes may differ.
func Map2[R, T, U any](ctx context.Context, path string, x ndarray.Source,
	y ndarray.Source, fn func(dst []R, x []T, y []U),
	o *ndarray.Options) (ndarray.Array[R], error) {
	openers := []opener{operandOf[T](x), operandOf[U](y)}
	return combine(ctx, path, x, openers, func(dst []R, box []any) { fn(dst, box[0].([]T), box[1].([]U)) }, o)
}
