// Package bytedelta holds the vector kernels of the filter bytedelta: differences of neighbouring
// bytes, and their running sum, modulo 256.
//
// The kernels do whole vectors, from the first on, and say how many bytes that is; the caller does
// the rest in plain Go.
package bytedelta

// Differences sets each byte of dst to that of src less the one before, which for the first is 0.
// It does so for the first n bytes and returns n, which is 0 where there is no kernel and otherwise
// a multiple of 16. dst is as long as src or it panics. It writes nothing beyond n. dst and src
// must not overlap.
func Differences(dst, src []byte) (n int) { return differences(dst[:len(src)], src) }

// Sums undoes Differences: each byte of dst is the sum of all bytes of src up to it. dst and src
// may be the same memory but not overlap otherwise.
func Sums(dst, src []byte) (n int) { return sums(dst[:len(src)], src) }
