// Package xor holds the vector kernels of delta: the xor of two blocks, and the running xor that
// undoes delta of one block.
//
// The kernels do whole vectors, from the first on, and say how many bytes that is; the caller does
// the rest in plain Go.
package xor

// Running sets each word of dst to the xor of all words of src up to it, for the first n bytes, and
// returns n, which is 0 where there is no kernel and otherwise a multiple of 16. Words have 1, 2, 4
// or 8 bytes, and dst is as long as src or it panics. It writes nothing beyond n. dst and src may
// be the same memory but not overlap otherwise.
func Running(dst, src []byte, word int) (n int) { return running(dst[:len(src)], src, word) }

// Both sets each byte of dst to the xor of a and b, for the first n bytes, and returns n, which is
// 0 where there is no kernel and otherwise a multiple of 128. a and b are at least as long as dst
// or it panics. It writes nothing beyond n. dst overlaps with neither.
func Both(dst, a, b []byte) (n int) { return both(dst, a[:len(dst)], b[:len(dst)]) }
