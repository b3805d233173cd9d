package lz

// Sizes of further tables of LZ4's encoders, as powers of two.
const (
	NearBits = 13 // of encoders with one pass, if positions have 16 bits
	HeadBits = 16 // of encoders with several passes
)

// StepUnit is the number of units per byte in which searches count their steps. Assembly depends on
// it.
const StepUnit = 64

// A Cursor is the state of an LZ4 encoder between two steps. Assembly depends on its layout.
type Cursor struct {
	Anchor int // everything before it in the source has been encoded
	Out    int // length of the output, or -1 if it does not fit
	Pos    int
	Match  int
	// while searching: distance from Pos to the next position; EncodeMid: start of the search
	Step    int
	Attempt int // while searching: the step after that, in units of 1/StepUnit
	Stage   Stage
}

// A Search contains the settings of an LZ4 encoder's search for matches. Assembly depends on its
// layout.
type Search struct {
	Factor  uint64 // the upper bits of its product with eight bytes index the table
	Attempt int    // the cursor's Attempt after each match
	Growth  int    // added to Attempt at each position without a match
}

// EncodeNear continues from c, whose stage is Searching or Matched, until the search would go
// beyond limit or an end of src or dst is near. The lower half of the table contains the last
// position of bytes by their hash; src has at most 65536 bytes.
func EncodeNear(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if limit = min(limit, len(src)-slack); c.Pos+c.Step <= limit {
		encodeNear(c, table, dst, src, limit, s)
	}
}

// EncodeFar is EncodeNear with the whole table, which contains positions modulo 65536.
func EncodeFar(c *Cursor, table *[1 << TableBits]uint16, dst, src []byte, limit int, s *Search) {
	if limit = min(limit, len(src)-slack); c.Pos+c.Step <= limit {
		encodeFar(c, table, dst, src, limit, s)
	}
}

// EncodeMid continues from c, at the start of a search, until the search goes beyond limit or an
// end of src or dst is near. The first half of the table contains the last position of four bytes
// by their hash, the second half that of seven bytes, all plus base.
func EncodeMid(c *Cursor, table *[1 << HeadBits]uint32, dst, src []byte, limit int, base uint32) {
	if limit = min(limit, len(src)-slack); c.Pos <= limit {
		encodeMid(c, table, dst, src, limit, base)
	}
}

// ExpandLZ4 decodes sequences from src[in:] to dst[out:] until a sequence is near the end of either
// buffer, is invalid, or has a match that starts before dst. It returns the offsets of that
// sequence and of its output.
func ExpandLZ4(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if len(src)-in > slack && len(dst)-out > slack {
		return expandLZ4(dst, src, in, out)
	}
	return in, out
}
