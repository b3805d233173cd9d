//go:build purego || (!amd64 && !arm64)

package lz4block

// Without kernels these functions do nothing, and the flags of their tiers are false. Doing nothing
// is always correct: the caller does the rest.

func encodeNear(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
}

// Longest follows the links, which are indexed by 16 bits of the position, from at to depth earlier
// positions. It returns the start, length and distance of the longest match that covers pos, starts
// at low or later, ends at end or before, and is longer than length; low+length must be at least
// pos+3. Of equally long matches it returns the nearest; the length is 0 if there is none. It
// reports false, without a search, if there is no kernel.
func Longest(src []byte, links *[1 << 16]uint16, end, pos, low, length, at, depth int) (int, int, int, bool) {
	return 0, 0, 0, false
}

func encodeMid(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32) {
}

func encodeFar(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {}

func expand(dst, src []byte, in, out int) (inAfter, outAfter int) { return in, out }
