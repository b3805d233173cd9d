// Package hashchain searches hash chains, which link each position to the previous one of the same
// hash.
package hashchain

import (
	"encoding/binary"
	"math/bits"
)

// MaxDistance is the maximum distance of a link. A link with this distance may end its chain.
const MaxDistance = 1<<16 - 1

// A Link is the distance to the previous position.
type Link = uint16

// LinkTo returns the link to a position at a distance.
func LinkTo(distance uint32) Link { return Link(min(distance, MaxDistance)) }

// Factor is the factor of the hash of four bytes: 2^32 divided by the golden ratio.
const Factor = 2654435761

// Hash returns the slot of four bytes in heads of n entries; n is a power of two of at least 2.
func Hash(word uint32, n int) uint32 { return word * Factor >> bits.LeadingZeros32(uint32(n-1)) }

// Chains are the positions of Src by their hash. Assembly depends on the layout.
type Chains struct {
	Src   []byte
	Heads []uint32 // Base plus the last position of each hash; the length is a power of two
	Links []Link   // by the lower bits of a position
	Base  int      // at least 1
	Next  int      // next position to insert

	// Distance from the position before Next to the first of its run of one byte. Within a run, all
	// positions but the first link to the first, so that a chain passes a run in two steps, whose
	// distance tells the length of the run. If Run is negative, these positions are left out, and
	// so are those between the steps of Skip.
	Run int

	// for Skip
	Window int    // the maximum distance
	Recent [2]int // other distances to compare first
	Depth  int    // number of positions to compare
	Hurry  int    // growth of the step, in 4096ths, per position without a match
	Limit  int    // for At
	At     int    // next position to compare
	Step   int    // number of positions without a match
}

// Enter inserts the positions from Next to end, which at least three bytes must follow.
func (c *Chains) Enter(end int) {
	if c.Next < end {
		enter(c, end)
	}
}

func (c *Chains) enterGeneric(end int) {
	heads := c.Heads
	links := c.Links
	base := uint32(c.Base)
	run := c.Run
	src := c.Src[:end+3]

	before := ^binary.LittleEndian.Uint32(src[c.Next:])
	if c.Next > 0 {
		before = binary.LittleEndian.Uint32(src[c.Next-1:])
	}
	shift := bits.LeadingZeros32(uint32(len(heads)-1)) & 31

	for at := c.Next; at < end; at++ {
		word := binary.LittleEndian.Uint32(src[at:])
		slot := &heads[word*Factor>>shift]
		distance := base + uint32(at) - *slot
		switch {
		case word != before:
			before = word
			run = min(run, 0)
		case run < 0:
			continue
		default:
			run++
			distance = uint32(run)
		}
		*slot = base + uint32(at)
		links[at&(len(links)-1)] = LinkTo(distance)
	}

	c.Next = end
	c.Run = run
}

// Skip passes over positions without a match, which takes a fraction of the time of one [Search]
// each. It begins at Next and stops with At at Limit or later, at four equal bytes, or where there
// may be a match of four bytes. If positions between steps are inserted, it may also stop with
// Next, which is then the second position of a run, before At. At least three bytes must follow
// Limit.
func (c *Chains) Skip() {
	c.At = c.Next
	if from := c.Next; from < c.Limit {
		if skip(c); c.Next > from {
			c.Run = min(c.Run, 0)
		}
	}
}

func (c *Chains) skipGeneric() {
	src := c.Src
	for c.At < c.Limit {
		slot := c.compare()
		if slot == nil {
			return
		}

		c.insert(slot)
		c.Step++
		if c.At += 1 + c.Step*c.Hurry>>12; c.Run < 0 {
			c.Next = c.At
		}

		for end := min(c.At, c.Limit); c.Next < end; c.insert(slot) {
			word := binary.LittleEndian.Uint32(src[c.Next:])
			if word == binary.LittleEndian.Uint32(src[c.Next-1:]) {
				return
			}
			slot = &c.Heads[Hash(word, len(c.Heads))]
		}
	}
}

// insert inserts Next.
func (c *Chains) insert(slot *uint32) {
	now := uint32(c.Base + c.Next)
	c.Links[c.Next&(len(c.Links)-1)] = LinkTo(now - *slot)
	*slot = now
	c.Next++
}

// compare returns nil if Skip stops at At, and else the slot of that position.
func (c *Chains) compare() *uint32 {
	src := c.Src
	at := c.At
	word := binary.LittleEndian.Uint32(src[at:])
	if word == word<<8|word>>24 {
		return nil
	}

	for _, d := range c.Recent {
		if at >= d && binary.LittleEndian.Uint32(src[at-d:]) == word {
			return nil
		}
	}

	slot := &c.Heads[Hash(word, len(c.Heads))]
	earlier := int(*slot) - c.Base
	oldest := max(0, at-c.Window)
	for left := c.Depth; left > 0 && earlier >= oldest; left-- {
		if binary.LittleEndian.Uint32(src[earlier:]) == word {
			return nil
		}
		earlier -= int(c.Links[earlier&(len(c.Links)-1)])
	}
	return slot
}

// A Search describes a search for a match that covers the four bytes at Pos, is longer than Length,
// starts at Low or later and ends at End or before. Low+Length must be at least Pos+3. Assembly
// depends on the layout.
type Search struct {
	Src    []byte
	Links  []Link // by the lower bits of a position
	Pos    int
	Low    int
	End    int
	Length int
	Nice   int // a match of this length ends the search
	At     int // first position to compare with Pos
	Oldest int // last one, at least 0; its link must not be overwritten
	Depth  int // number of positions to compare

	// the result: the longest match and, of those, the nearest; Distance is 0 if there is none
	Start, Distance int
}

// Run follows the chain. It leaves the length of the match, or the former one, in Length.
func (s *Search) Run() {
	s.Start = 0
	s.Distance = 0
	run(s)
}

func (s *Search) runGeneric() {
	src := s.Src
	pos := s.Pos
	word := binary.LittleEndian.Uint32(src[pos:])
	skew := s.Low + s.Length - 3 - pos // a longer match must agree there too
	tail := binary.LittleEndian.Uint32(src[pos+skew:])
	mask := len(s.Links) - 1

	for at, left := s.At, s.Depth; at >= s.Oldest && left > 0; left-- {
		if binary.LittleEndian.Uint32(src[at+skew:]) == tail && binary.LittleEndian.Uint32(src[at:]) == word {
			if start, end := Extend(src[:s.End], pos, s.Low, pos-at); end-start > s.Length {
				s.Start = start
				s.Length = end - start
				s.Distance = pos - at
				if s.Length >= s.Nice || end == s.End {
					return
				}
				skew = s.Low + s.Length - 3 - pos
				tail = binary.LittleEndian.Uint32(src[pos+skew:])
			}
		}
		at -= int(s.Links[at&mask])
	}
}

// Extend returns the match at a distance from pos, whose first four bytes are known to be equal,
// extended backwards to low and forwards.
func Extend(src []byte, pos, low, distance int) (start, end int) {
	end = pos + 4
	for end+8 <= len(src) {
		if diff := binary.LittleEndian.Uint64(src[end:]) ^ binary.LittleEndian.Uint64(src[end-distance:]); diff != 0 {
			return ExtendBack(src, pos, low, distance), end + bits.TrailingZeros64(diff)>>3
		}
		end += 8
	}

	for end < len(src) && src[end] == src[end-distance] {
		end++
	}
	return ExtendBack(src, pos, low, distance), end
}

// ExtendBack returns the start of the match at a distance before pos, at low or later.
func ExtendBack(src []byte, pos, low, distance int) int {
	for low = max(low, distance); pos-distance >= 8; pos -= 8 {
		diff := binary.LittleEndian.Uint64(src[pos-8:]) ^ binary.LittleEndian.Uint64(src[pos-8-distance:])
		if equal := bits.LeadingZeros64(diff) >> 3; equal < 8 || pos-low <= 8 {
			return pos - min(equal, pos-low)
		}
	}

	for pos > low && src[pos-1] == src[pos-1-distance] {
		pos--
	}
	return pos
}
