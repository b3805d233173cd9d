package lz

// A BloscEncoder contains the settings and the state of a BloscLZ encoder. Assembly depends on its
// layout.
type BloscEncoder struct {
	Base  uint32 // value of position 0 in the table
	Shift uint32 // 32 minus the bits of the hash
	// the step grows after every 2^Skip positions without a match …
	Skip int
	Most int // … up to this limit, which is less than 2^Skip
	// 1 to insert the last two positions of a match into the table, 0 to insert the last but one
	Twice int

	Anchor   int // everything before it in the source has been encoded
	Out      int // length of the output
	Pos      int
	Start    int // where the search began
	Distance int
	Stage    Stage
}

// EncodeBlosc continues from e, whose stage is Searching, until the search reaches limit or an end
// of src or dst is near. The table contains the last position of four bytes by their hash.
func EncodeBlosc(e *BloscEncoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {
	if limit = min(limit, len(src)-slack); e.Pos < limit {
		encodeBlosc(e, table, dst, src, limit)
	}
}

// ExpandBlosc decodes tokens from src[in:] to dst[out:] until a token is near the end of either
// buffer or is invalid. It returns the offsets of that token and of its output.
func ExpandBlosc(dst, src []byte, in, out int) (inAfter, outAfter int) {
	if len(src)-in > slack && len(dst)-out > slack {
		return expandBlosc(dst, src, in, out)
	}
	return in, out
}
