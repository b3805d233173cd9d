// Package compute does arithmetic on whole arrays, block by block and in parallel, within a memory
// that is stated: maps of one or more arrays into a new one, and reductions over all axes or some.
//
//	total, err := compute.Value(compute.Sum[float64](ctx, a, nil))
//	daily, err := compute.Mean(ctx, a, compute.Over(1, 2))
//	diff, err := compute.Map2(ctx, "diff.b2nd", a, b, func(dst, x, y []float32) {
//		for i := range dst {
//			dst[i] = x[i] - y[i]
//		}
//	}, nil)
//
// A result depends on the items and on how the array is cut into chunks and blocks, and on nothing
// else: any number of workers makes the same, to the bit. Chunks that are all zeros, NaN or one
// value are never decoded.
//
// Results are those of NumPy, where that has the function, but for this: floats are always summed
// in float64, so that sums of float32 are float64 and more exact; and where NumPy only warns that
// there are no items, it is an error matching [cairn.ErrBounds].
//
// Sums of floats are exact but for the rounding of partial sums of at most 1024 items, 128
// additions deep, which are then added in twice the precision: the error is at most 131·2⁻⁵³ times
// the sum of the absolute values, whatever their number.
package compute
