// Package compute maps and reduces whole arrays, block by block, in parallel and in bounded
// memory. Maps compute a new array from one or more arrays; reductions work over all axes or
// some; [Calc] takes an expression as one would write it for NumPy.
//
//	total, err := compute.Value(compute.Sum[float64](ctx, a, nil))
//	daily, err := compute.Mean(ctx, a, compute.Over(1, 2))
//	diff, err := compute.Map2(ctx, "diff.b2nd", a, b, func(dst, x, y []float32) {
//		for i := range dst {
//			dst[i] = x[i] - y[i]
//		}
//	}, nil)
//
// A result depends only on the items and on the chunk and block shapes. It is identical, to the
// bit, for any number of workers. Chunks of zeros, NaN or one repeated value are not decoded.
//
// Results equal those of NumPy, with two exceptions. Floats are always summed in float64, so sums
// of float32 are float64 and more exact. Where NumPy warns that there are no items, compute returns
// an error that matches [cairn.ErrBounds].
//
// Floats are summed in runs of at most 1024 items, 128 additions deep, and the sums of runs are
// added in twice the precision. The error is at most 131·2⁻⁵³ times the sum of the absolute
// values, whatever the number of items.
//
// The package exports at most 45 names.
package compute
