// Package bytedelta contains the vector kernels of the filter bytedelta: differences of neighboring
// bytes, and their running sum, modulo 256.
//
// The kernels process whole vectors from the first one on and return the number of bytes processed.
// The caller processes the rest in plain Go.
package bytedelta

// Differences sets each of the first n bytes of dst to the difference of that byte of src and the
// previous one, which is 0 for the first byte. It returns n, a multiple of 16, which is 0 if there
// is no kernel. It panics if dst is shorter than src, and writes nothing beyond n. dst and src must
// not overlap.
func Differences(dst, src []byte) (n int) { return differences(dst[:len(src)], src) }

// Sums is the inverse of Differences: each byte of dst is the sum of all bytes of src up to it. dst
// and src may be the same memory but must not overlap otherwise.
func Sums(dst, src []byte) (n int) { return sums(dst[:len(src)], src) }
