// Package adler32 holds the vector kernel of the checksum of zlib (RFC 1950 §8.2).
//
// The kernel does whole vectors, from the first byte on, and says how many bytes that is; the
// caller does the rest in plain Go.
package adler32

// Mod is what both sums are taken modulo of.
const Mod = 65521

// Update adds the first n bytes of b to the two sums, s1 of the bytes and s2 of s1 after each of
// them, and returns the sums below Mod, and n, which is 0 where there is no kernel and otherwise
// the greatest multiple of 32. The sums that are given are below Mod, too.
func Update(s1, s2 uint32, b []byte) (uint32, uint32, int) { return update(s1, s2, b) }
