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
// # Rounding
//
// Reductions are computed in float64, and [Calc] rounds their results once more, to the dtype. Of n
// items with the root mean square rms, and with u = 2⁻⁵³, the errors in float64 are at most:
//
//   - Sum: 137·u times the sum of the absolute values, whatever n is. Runs of at most 1024 items
//     are added 136 additions deep, and the sums of runs in twice the precision. No sum is −0.
//   - Mean: that of the sum, divided by n, and u·|mean|. Integers of 64 bits are rounded to float64
//     before, which makes it 138·u. Shorter integers are added exactly.
//   - Std: E = (n+8)·u·rms, as each item may round the mean of those before. Var: E·std + E². With
//     DDoF the divisor of rms is that of the variance. Mean and Std of a [Summary]: E.
//   - Prod: n·u times the product.
//   - Everything else: 0. Between two items, quantiles are interpolated as by numpy.quantile, so
//     that numpy.median may differ in the last bit.
//
// These hold unless a sum, square or product on the way exceeds the range of float64. The result is
// then infinite or NaN, or 0 if it is too small. Which of 0 and −0 is less is not defined.
package compute
