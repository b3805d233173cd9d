//go:build purego || (!amd64 && !arm64)

package lz

// Without kernels these functions do nothing, and the flags of their tiers are false. Doing nothing
// is always correct: the caller does the rest.

func encodeNear(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
}

func encodeMid(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32) {
}

func encodeFar(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {}

func expandLZ4(dst, src []byte, in, out int) (inAfter, outAfter int) { return in, out }

func encodeBlosc(e *BloscEncoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {}

func expandBlosc(dst, src []byte, in, out int) (inAfter, outAfter int) { return in, out }
