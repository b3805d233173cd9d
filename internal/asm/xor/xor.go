// Package xor holds the vector kernel of the running xor that undoes delta. The xor of two blocks is in crypto/subtle, at the
// speed of memory already.
//
// The kernel does whole vectors, from the first on, and says how many bytes that is; the caller does the rest in plain Go.
package xor

// Running sets each word of dst to the xor of all words of src up to it, for the first n bytes, and returns n, which is 0
// where there is no kernel and otherwise a multiple of 32. Words have 1, 2, 4 or 8 bytes, and dst is as long as src or it
// panics. It writes nothing beyond n. dst and src may be the same memory but not overlap otherwise.
func Running(dst, src []byte, word int) (n int) { return running(dst[:len(src)], src, word) }
