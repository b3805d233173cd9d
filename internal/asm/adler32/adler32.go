// Package adler32 contains the vector kernel of zlib's checksum (RFC 1950 §8.2).
//
// The kernel processes whole vectors from the first byte on and returns the number of bytes
// processed. The caller processes the rest in plain Go.
package adler32

// Mod is the modulus of both sums.
const Mod = 65521

// Update adds the first n bytes of b to the two sums: s1 is the sum of the bytes, s2 the sum of the
// values of s1 after each byte. It returns both sums, reduced modulo Mod, and n, which is the
// greatest multiple of 32 (on arm64, of 64) up to len(b), or 0 if there is no kernel. The given
// sums must be below Mod.
func Update(s1, s2 uint32, b []byte) (uint32, uint32, int) { return update(s1, s2, b) }
