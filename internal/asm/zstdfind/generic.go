package zstdfind

import (
	"encoding/binary"
	"math/bits"
)

func load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// slot returns the slot of the table for the lower six bytes of v.
func (s *State) slot(v uint64) *uint32 { return &s.Table[v<<16*hashMul>>(64-TableLog)] }

// equal returns the number of equal bytes at src[a:] and src[b:]; a must be less than b.
func equal(src []byte, a, b int) int {
	start := b
	for b+8 <= len(src) {
		if x := load64(src, a) ^ load64(src, b); x != 0 {
			return b - start + bits.TrailingZeros64(x)>>3
		}
		a += 8
		b += 8
	}

	for b < len(src) && src[a] == src[b] {
		a++
		b++
	}
	return b - start
}

// Next returns the position to search after at: step+1 bytes on, up to 1<<most bytes.
//
// Bit planes repeat at multiples of large powers of two, which the longest steps find at once.
// Other repetitions are found by one position in four, with a varying remainder.
func Next(at, step int, most uint8) int {
	if step < 1<<(most&31)-1 {
		return at + 1 + step
	}

	line := at >> (most & 31)
	at = (line + 1) << (most & 31)
	if line&3 == 3 {
		at += line >> 2 * 5 & (1<<(most&31) - 1)
	}
	return at
}

// findGeneric is the portable [State.Find]. It replaces the contents of Out with the next matches,
// until Out is full or the data ends.
func (s *State) findGeneric() {
	src := s.Src
	limit := len(src) - EndRoom
	at := s.At
	anchor := s.Anchor
	s.N = 0

	for at < limit && s.N < len(s.Out) {
		v := load64(src, at)
		slot := s.slot(v)
		candidate := int(*slot) - int(s.Base)
		*slot = s.Base + uint32(at)

		// A match at the latest distance, two bytes on, is cheaper than any other. Extending it
		// backwards finds its start.
		from := at + 2 - s.Latest
		if from >= 0 && load32(src, from) == uint32(v>>16) {
			at += 2
		} else if from = candidate; from < 0 || load32(src, from) != uint32(v) {
			at = Next(at, (at-anchor)>>speedUp, strideLog)
			continue
		} else {
			s.Before = s.Latest
			s.Latest = at - from
		}

		n := 4 + equal(src, from+4, at+4)
		for at > anchor && from > 0 && src[at-1] == src[from-1] {
			at--
			from--
			n++
		}

		s.add(at-anchor, n, at-from)
		at += n
		anchor = at

		if at-2 < limit {
			*s.slot(load64(src, at-2)) = s.Base + uint32(at-2)
		}

		// Directly after a match, without literals, try the distance before the latest first.
		for at < limit && at >= s.Before && s.N < len(s.Out) && load32(src, at) == load32(src, at-s.Before) {
			n := 4 + equal(src, at+4-s.Before, at+4)
			s.add(0, n, s.Before)
			s.Latest, s.Before = s.Before, s.Latest
			at += n
			anchor = at
		}
	}

	s.At = at
	s.Anchor = anchor
}

func (s *State) add(literals, length, distance int) {
	s.Out[s.N] = Match{uint32(literals), uint32(length), uint32(distance)}
	s.N++
}
