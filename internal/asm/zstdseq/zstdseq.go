// Package zstdseq decodes and executes the sequences of a Zstandard block (RFC 8878 §3.1.1.3.2 and
// §3.1.1.4): the loop in which a decoder spends most of its time.
//
// It handles the frequent sequences that need little room. If a sequence is long, close to the end
// of a buffer, or refers to bytes outside of the output, it is decoded, but the caller must check
// and execute it.
package zstdseq

// Entry is one state of a decoding table:
//
//	bits  0–7   how many bits to read for the next state
//	bits  8–15  how many bits to read and add to the base
//	bits 16–31  the next state before its bits are added
//	bits 32–63  the base: a length, or (signed) a distance less 3, so that 0, -1 and -2
//	            stand for repeated distances
type Entry uint64

// MakeEntry packs an entry.
func MakeEntry(stateBits uint8, next uint16, extra uint8, base int32) Entry {
	return Entry(stateBits) | Entry(extra)<<8 | Entry(next)<<16 | Entry(uint32(base))<<32
}

// With returns an entry with the same base and extra bits, but another next state.
func (e Entry) With(stateBits uint8, next uint16) Entry {
	return e&0xffffffff_0000ff00 | Entry(stateBits) | Entry(next)<<16
}

const (
	// TableSize is the size of the largest table.
	TableSize = 512
	// Slack is how many bytes must be readable behind the literals, and how many writable bytes a
	// run leaves unused at the end of the output.
	Slack = 32
	// Lead is how many bytes must be readable in front of the bit stream.
	Lead = 8
	// LongMatch is the longest match that a run copies itself; memmove is faster for longer ones.
	LongMatch = 2048
)

// Status is the reason why a run stopped.
type Status int

// The reasons to stop.
const (
	Done Status = iota // no sequence is left
	// the caller must execute the sequence in LiteralLength, MatchLength and Distance, and then run
	// again
	Pending
	Corrupt // the bit stream is too short or repeats a distance of zero
)

// State is the state of decoding a block's sequences. The caller sets it, calls [State.Start] once,
// and calls [State.Run] until it is done.
type State struct {
	// decoding tables; every next state is within its table, whatever bits are added
	Literal, Match, Offset [TableSize]Entry

	Bits []byte // bytes that end with the bit stream
	From int    // where in Bits the stream begins; at least Lead
	Pos  int    // number of unread bits of the stream

	Dst []byte // output so far and room for the rest
	Out int    // length of the output so far

	Lits []byte // literals, with Slack bytes of capacity behind them
	Lit  int    // how many of them are used

	Left   int      // sequences left
	Window int64    // the maximum distance of a run's matches; the caller checks longer ones
	Repeat [3]int64 // the last distances, latest first

	LiteralLength, MatchLength, Distance int64 // the pending sequence

	literal, match, offset Entry // current states
	// their numbers, for kernels that load an entry part by part
	literalAt, matchAt, offsetAt uint64
}

// Start reads the first states, of tables with 1<<literalLog (and so on) entries.
func (s *State) Start(literalLog, offsetLog, matchLog uint8) Status {
	literal, ok1 := s.read(literalLog)
	offset, ok2 := s.read(offsetLog)
	match, ok3 := s.read(matchLog)
	if !ok1 || !ok2 || !ok3 {
		return Corrupt
	}

	s.literalAt = literal % TableSize
	s.matchAt = match % TableSize
	s.offsetAt = offset % TableSize
	s.literal = s.Literal[s.literalAt]
	s.match = s.Match[s.matchAt]
	s.offset = s.Offset[s.offsetAt]
	return Done
}

// read returns the next n bits, at most 32.
func (s *State) read(n uint8) (uint64, bool) {
	if s.Pos < int(n) {
		return 0, false
	}
	have := s.Pos&7 + 56
	w := s.word(s.Pos)
	s.Pos -= int(n)
	return w >> (have - int(n)) & (1<<n - 1), true
}
