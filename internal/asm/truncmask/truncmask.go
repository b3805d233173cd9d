// Package truncmask contains the vector kernel that truncates numbers: it keeps some bits of every
// word and clears the others.
//
// The kernel processes whole vectors from the first one on and returns the number of bytes
// processed. The caller processes the rest in plain Go.
package truncmask

// And sets each eight of the first n bytes of dst to src AND mask; the lowest byte of mask is for
// byte 0. It returns n, a multiple of 64, which is 0 if there is no kernel. It panics if dst is
// shorter than src, and writes nothing beyond n. dst and src may be the same memory but must not
// overlap otherwise.
func And(dst, src []byte, mask uint64) (n int) { return and(dst[:len(src)], src, mask) }
