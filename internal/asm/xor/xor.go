// Package xor contains the vector kernels of the filter delta: the XOR of two blocks, and the
// running XOR that undoes delta within one block.
//
// The kernels process whole vectors from the first one on and return the number of bytes processed.
// The caller processes the rest in plain Go.
package xor

// Running sets each word in the first n bytes of dst to the XOR of all words of src up to it. It
// returns n, a multiple of 16, which is 0 if there is no kernel. Words have 1, 2, 4 or 8 bytes. It
// panics if dst is shorter than src, and writes nothing beyond n. dst and src may be the same
// memory but must not overlap otherwise.
func Running(dst, src []byte, word int) (n int) { return running(dst[:len(src)], src, word) }

// Both sets each of the first n bytes of dst to the XOR of a and b. It returns n, a multiple of
// 128, which is 0 if there is no kernel. It panics if a or b is shorter than dst, and writes
// nothing beyond n. dst must not overlap a or b.
func Both(dst, a, b []byte) (n int) { return both(dst, a[:len(dst)], b[:len(dst)]) }
