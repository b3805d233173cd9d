// Package inflate decodes the symbols of a DEFLATE block (RFC 1951 §3.2.3) while neither its input
// nor its output is near an end, so that nothing has to be checked for each byte. Who calls it
// makes the tables, and decodes the symbols near the ends.
package inflate

// An Entry of a table says what to do with the code that led to it:
//
//	 31          16   14 13 12 11     8   5      0
//	|     value    |  |S |X |L | codeLen |   drop  |
//
// drop is how many bits to drop: the code and the extra bits that follow it; codeLen those of the
// code alone. value is the base that the extra bits are added to.
//
// L: one or two literals; value holds them, the first one in its low half, and codeLen is how many
// there are. X: neither literals nor a length or distance. X and S: a longer code; value is where
// its second table begins, codeLen how many further bits index that. X without S: value is 1 for
// the end of the block, and 0 for a code that means nothing.
//
// The other bits are zero.
type Entry = uint32

// The fields of an Entry.
const (
	Literal  Entry = 1 << 12
	Special  Entry = 1 << 13
	Subtable Entry = 1 << 14

	Drop     = 0x3f
	CodeBits = 8
	CodeMask = 0xf
	Value    = 16

	End      = Special | 1<<Value
	KindMask = ^Entry(0xfff)
)

// Tables are indexed by so many bits first. Second tables follow; no entry leads beyond the last
// power of two.
const (
	LitLenBits   = 11
	DistanceBits = 8

	LitLenMask = 1<<LitLenBits - 1 // for the first part

	LitLenTable   = 4096
	DistanceTable = 1024
)

// What one round may touch behind where it starts: of the input two loads of 8 bytes, the second up
// to 7 bytes further on; of the output six literals and the longest match, with what copying writes
// beyond its end.
const (
	InputMargin  = 16
	OutputMargin = 6 + 258 + copySlack

	copySlack = 32
)

// A Status says why decoding has stopped.
type Status uint8

// The states after a run.
const (
	Margin Status = iota // there is no room for another round
	Ended                // the block has ended
	BadCode
	TooFar // a match reaches back before the start of the output
)

// A Loop is where decoding stands.
type Loop struct {
	Src, Dst []byte
	At, N    int    // next byte of Src to load, and of Dst to write
	Bits     uint64 // loaded and not yet dropped, lowest first
	Have     uint64 // how many, up to 63
	LitLen   *[LitLenTable]Entry
	Distance *[DistanceTable]Entry
}

// Run decodes symbols until one of the margins is reached or something else stops it. Matches may
// reach back to the start of Dst. After BadCode and TooFar the loop is of no use.
func (l *Loop) Run() Status {
	if l.At > len(l.Src)-InputMargin || l.N > len(l.Dst)-OutputMargin {
		return Margin
	}
	return l.run()
}
