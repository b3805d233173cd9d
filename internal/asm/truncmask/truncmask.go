// Package truncmask holds the vector kernel that truncates numbers: it keeps some bits of every
// word and zeroes the others.
//
// The kernel does whole vectors, from the first on, and says how many bytes that is; the caller
// does the rest in plain Go.
package truncmask

// And sets each eight bytes of dst to those of src and the mask, of which byte 0 is the lowest, for
// the first n bytes. It returns n, which is 0 where there is no kernel and otherwise a multiple of
// 64. dst is as long as src or it panics. It writes nothing beyond n. dst and src may be the same
// memory but not overlap otherwise.
func And(dst, src []byte, mask uint64) (n int) { return and(dst[:len(src)], src, mask) }
