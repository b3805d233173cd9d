// Package inflate decodes the symbols of a DEFLATE block (RFC 1951 §3.2.3) while neither the input
// nor the output is near its end, so that bounds need not be checked for each byte. The caller
// builds the tables, and decodes the symbols near the ends.
package inflate

// An Entry of a table describes the code that was looked up:
//
//	 31          16   14 13 12 11     8   5      0
//	|     value    |  |S |X |L | codeLen |   drop  |
//
// drop is the number of bits to drop: the code and its extra bits. codeLen is the number of bits of
// the code alone. value is the base to which the extra bits are added.
//
// L: one or two literals, whose number is codeLen; value contains them, the first one in its low
// half. X: neither literals nor a length or distance. X and S: a longer code, whose second table
// begins at value and is indexed by codeLen further bits. X without S: value is 1 for the end of
// the block, and 0 for an invalid code.
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

// Tables are indexed first by this many bits. Second tables follow; no entry refers to an index
// beyond the last power of two.
const (
	LitLenBits   = 11
	DistanceBits = 8

	LitLenMask = 1<<LitLenBits - 1 // for the first part

	LitLenTable   = 4096
	DistanceTable = 1024
)

// Maximum distances that one round accesses beyond its start. In the input these are two loads of 8
// bytes, the second up to 7 bytes further on; in the output, six literals and the longest match,
// including what the copy writes beyond its end.
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

// A Loop is the state of decoding.
type Loop struct {
	Src, Dst []byte
	At, N    int    // next byte of Src to load, and of Dst to write
	Bits     uint64 // loaded and not yet dropped, lowest first
	Have     uint64 // number of bits loaded, up to 63
	LitLen   *[LitLenTable]Entry
	Distance *[DistanceTable]Entry
}

// Run decodes symbols until it reaches one of the margins or has to stop. Matches may reach back to
// the start of Dst. After BadCode and TooFar the loop must not be used again.
func (l *Loop) Run() Status {
	if l.At > len(l.Src)-InputMargin || l.N > len(l.Dst)-OutputMargin {
		return Margin
	}
	return l.run()
}
