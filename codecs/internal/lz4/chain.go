package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/hashchain"
	"github.com/cairn-go/cairn/internal/asm/lz"
)

const (
	headBits   = lz.HeadBits
	windowMask = maxDistance
)

// A match is a range of bytes that equal those at a distance before it.
type match struct{ start, length, distance int }

func (m match) end() int { return m.start + m.length }

// chains contains all earlier positions of each sequence of four bytes, latest first, and runs as
// [hashchain.Chains] links them.
//
// Positions in heads are relative to base, which advances with each source, so that entries of
// earlier sources are below it and need not be cleared.
type chains struct {
	src   []byte
	end   int // limit for the end of matches
	depth int // number of earlier positions to search
	base  uint32

	keptPos int // position for which kept is the complete result; 0 for none
	kept    match
	search  hashchain.Search
	all     hashchain.Chains

	heads [1 << headBits]uint32 // by hash of four bytes: base plus their last position
	// by position: the start of its run, else the previous position of the same hash
	links [windowMask + 1]hashchain.Link
}

// start prepares for a new source.
func (c *chains) start(src []byte) {
	if uint64(c.base)+uint64(len(c.src))+uint64(len(src)) >= 1<<31 || c.base == 0 {
		clear(c.heads[:])
		c.base = 1
	} else {
		c.base += uint32(len(c.src))
	}
	c.begin(src, 0, 0)
}

// begin prepares for src, whose first next positions have been inserted, the last one with a run.
func (c *chains) begin(src []byte, next, run int) {
	c.src = src
	c.end = len(src) - endLiterals
	c.keptPos = 0
	c.search = hashchain.Search{Src: src, Links: c.links[:], End: c.end, Nice: len(src)}
	c.all = hashchain.Chains{Src: src, Heads: c.heads[:], Links: c.links[:], Base: int(c.base), Next: next, Run: run,
		Window: maxDistance, Recent: [2]int{noDistance, noDistance}, Depth: c.depth, Hurry: hurry}
}

func hashHead(word uint32) uint32 { return hashchain.Hash(word, 1<<headBits) }

// enter inserts the positions before pos.
func (c *chains) enter(pos int) { c.all.Enter(pos) }

// skip returns the first position from pos on where startingAt may find a match, or one beyond
// limit, and how many it has passed, including the given number. No position after pos has been
// inserted.
func (c *chains) skip(pos, step, limit int) (int, int) {
	c.enter(pos)
	a := &c.all
	a.Step = step
	a.Limit = limit + 1
	a.Skip()
	return a.At, a.Step
}

// before returns the position that at links to, or a negative number.
func (c *chains) before(at int) int {
	if link := c.links[at&windowMask]; link < hashchain.MaxDistance {
		return at - int(link)
	}
	return -1
}

// longest finds a match that covers pos, starts at low or later, and is longer than length;
// low+length must be at least 3 beyond pos. It prefers the longest and, among those, the nearest
// match. The result has length 0 if there is none.
func (c *chains) longest(pos, low, length, depth int) (best match) {
	src := c.src
	word := binary.LittleEndian.Uint32(src[pos:])
	c.enter(pos + 1)
	at := c.before(pos)

	if word == word<<8|word>>24 {
		return c.longestRun(pos, low, length, at, depth)
	}

	s := &c.search
	s.Pos = pos
	s.Low = low
	s.Length = length
	s.At = at
	s.Depth = depth
	s.Oldest = max(0, pos-maxDistance, c.all.Next-len(c.links)) // older links are overwritten
	s.Run()

	if s.Distance == 0 {
		return match{}
	}
	return match{s.Start, s.Length, s.Distance}
}

// longestRun is longest for a run of equal bytes at pos. In each earlier run of that byte it
// compares only the position from which the run is as long as the one at pos, since only there the
// following bytes can match too.
func (c *chains) longestRun(pos, low, length, at, depth int) (best match) {
	src := c.src
	word := binary.LittleEndian.Uint32(src[pos:])
	here := 1 + common(src[:c.end], pos+1, 1)
	oldest := max(0, pos-maxDistance)

	left := depth/2 + 1
	// Within a run, the nearest match is the run itself, one byte back.
	if pos > 0 && src[pos-1] == byte(word) {
		best = c.extendBack(pos, low, pos+here, 1)
		if best.length <= length {
			best = match{}
		}
		length = max(length, best.length)
		at = c.before(pos)
		if at < oldest || best.end() == c.end {
			return best
		}
		at = c.before(at)
		left--
	}

	for ; at >= oldest && left > 0; left-- {
		if binary.LittleEndian.Uint32(src[at:]) != word { // a hash collision
			at = c.before(at)
			continue
		}
		first := at
		end := at + minMatch // at is the last position with this word in its run
		if at > 0 && src[at-1] == byte(word) {
			first = c.before(at)
		}
		if from := max(first, end-here); from >= oldest {
			stop := pos + end - from
			if end-from == here {
				stop += common(src[:c.end], stop, pos-from)
			}
			if stop-low > length {
				if m := c.extendBack(pos, low, stop, pos-from); m.length > length {
					best = m
					length = m.length
					if stop == c.end {
						break
					}
				}
			}
		}

		if first < oldest { // links before it may be stale
			break
		}
		at = c.before(first)
	}
	return best
}

// extend returns the match at a distance from pos, whose first four bytes are known to be equal,
// extended forwards and backwards to low.
func (c *chains) extend(pos, low, distance int) match {
	start, end := hashchain.Extend(c.src[:c.end], pos, low, distance)
	return match{start, end - start, distance}
}

// extendBack returns the match at a distance that covers pos to end, extended backwards to low.
func (c *chains) extendBack(pos, low, end, distance int) match {
	start := hashchain.ExtendBack(c.src, pos, low, distance)
	return match{start, end - start, distance}
}
