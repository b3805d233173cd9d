// Package zstdcode writes the sequences and literals of Zstandard blocks: it turns the matches of
// a search into codes and extra bits (RFC 8878 §3.1.1.3.2.1), and writes these with FSE, and
// literals with Huffman codes.
package zstdcode

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/zstdfind"
)

// A Match is a number of literals and a match.
type Match = zstdfind.Match

// The layout of a Match for assembly.
const (
	matchLiterals = unsafe.Offsetof(Match{}.Literals)
	matchLength   = unsafe.Offsetof(Match{}.Length)
	matchDistance = unsafe.Offsetof(Match{}.Distance)
	matchSize     = unsafe.Sizeof(Match{})
)

// A Sequence is a match as it is written: three codes, and the extra bits of all three, those of
// the literals in the lowest bits, then those of the length, and those of the offset.
type Sequence struct {
	Extra                  uint64
	Literal, Offset, Match uint8
	Bits                   uint8 // number of extra bits
}

// Counts are the numbers of sequences by code.
type Counts struct{ Literal, Offset, Match [64]uint32 }

// Lengths beyond those that have an entry of their own in Codes have one code for each power of
// two.
const (
	ShortLiterals = 64
	ShortMatches  = 128 // less three

	longLiterals = 19 // the code of 1, if that was long
	longMatches  = 36
)

// Codes are the codes of short lengths, in the lower byte, and their numbers of extra bits above.
type Codes struct {
	Literal [ShortLiterals]uint16
	Match   [ShortMatches]uint16 // less three
}

const (
	// TableSize is the size of the largest table.
	TableSize = 512
	// Slack is how many bytes of room a stream or literals need at most beyond their contents.
	Slack = 32
)

// A Table encodes symbols with FSE. States are numbers from the size of the table to twice that.
type Table struct {
	States  [TableSize]uint16 // by symbol, then by order in the decoder's table
	Symbols [64]Symbol
}

// A Symbol describes the transition to the states of a symbol, which has n states: the state is
// shifted right until it is from n to 2n-1.
type Symbol struct {
	Shift uint32 // (state + Shift) >> 16 is the number of bits to shift
	First int32  // index of the symbol's first state, minus n
}

// A Stream is a bit stream that is written from the lowest bit of its first byte on. A decoder
// reads it from the end.
type Stream struct {
	Out  []byte
	N    int    // bytes written
	Bits uint64 // less than eight bits between calls
	Have int    // how many
}

// States are the states of the three tables.
type States struct{ Literal, Offset, Match uint32 }

// Tables are the three tables of sequences.
type Tables struct{ Literal, Offset, Match *Table }

// Add writes the n lowest bits of v, up to 64; there must be Slack bytes of room.
func (w *Stream) Add(v uint64, n int) {
	for n > 0 {
		k := min(n, 32)
		w.Bits |= v & (1<<k - 1) << w.Have
		w.Have += k
		w.flush()
		v >>= 32
		n -= k
	}
}

func (w *Stream) flush() {
	for ; w.Have >= 8; w.Have -= 8 {
		w.Out[w.N] = byte(w.Bits)
		w.N++
		w.Bits >>= 8
	}
}

// Mark appends the end mark and returns the number of bytes.
func (w *Stream) Mark() int {
	w.Add(1, 1)
	if w.Have > 0 {
		w.Out[w.N] = byte(w.Bits)
		w.N++
	}
	return w.N
}
