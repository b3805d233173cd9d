package lz4

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/lz4block"
)

const (
	headBits   = lz4block.HeadBits
	windowMask = maxDistance
)

// A match is a range of bytes that equal those at a distance before it.
type match struct{ start, length, distance int }

func (m match) end() int { return m.start + m.length }

// chains contains all earlier positions of each sequence of four bytes, latest first. Within a run
// of one byte, all positions but the first link to the first, so that a chain passes a run in two
// steps, whose distance tells the length of the run.
//
// Positions in heads are relative to base, which advances with each source, so that entries of
// earlier sources are below it and need not be cleared.
type chains struct {
	src   []byte
	end   int // limit for the end of matches
	next  int // first position that has not been inserted
	depth int // number of earlier positions to search
	base  uint32

	keptPos int // position for which kept is the complete result; 0 for none
	kept    match

	heads [1 << headBits]uint32 // by hash of four bytes: base plus their last position
	// by position: distance to the start of its run, else to the previous position of the same
	// hash, or the maximum
	links [windowMask + 1]uint16
}

// start prepares for a new source.
func (c *chains) start(src []byte) {
	if uint64(c.base)+uint64(len(c.src))+uint64(len(src)) >= 1<<31 || c.base == 0 {
		clear(c.heads[:])
		c.base = 1
	} else {
		c.base += uint32(len(c.src))
	}
	c.src, c.next, c.end, c.keptPos = src, 0, len(src)-endLiterals, 0
}

func hashHead(word uint32) uint32 { return word * hashFactor >> (32 - headBits) }

// enter inserts the positions before pos.
func (c *chains) enter(pos int) {
	if c.next >= pos {
		return
	}
	src, heads, links, base := c.src[:pos+3], &c.heads, &c.links, c.base
	for at := c.next; at < pos; at++ {
		word := binary.LittleEndian.Uint32(src[at:])
		h := hashHead(word)
		if n := c.into(at, word); n > 0 {
			for at++; at < pos && src[at+3] == byte(word); at++ {
				links[(at-1)&windowMask] = uint16(min(n, maxDistance))
				n++
			}
			at--
			links[at&windowMask] = uint16(min(n, maxDistance))
			heads[h] = base + uint32(at)
			continue
		}
		links[at&windowMask] = uint16(min(base+uint32(at)-heads[h], maxDistance))
		heads[h] = base + uint32(at)
	}
	c.next = pos
}

// into returns the distance from position at to the first position of a run of equal bytes that
// contains it, or 0 if there is none before it. word is at that position, which is the next one to
// be inserted.
func (c *chains) into(at int, word uint32) int {
	if word != word<<8|word>>24 || at == 0 || c.src[at-1] != byte(word) {
		return 0
	}
	if at == 1 || c.src[at-2] != byte(word) {
		return 1
	}
	return 1 + int(c.links[(at-1)&windowMask])
}

// swap inserts one position with the given four bytes, and returns the position that it links to,
// or a negative number.
func (c *chains) swap(at int, word uint32) int {
	slot := &c.heads[hashHead(word)]
	link := c.base + uint32(at) - *slot
	if n := c.into(at, word); n > 0 {
		link = uint32(n)
	}
	*slot = c.base + uint32(at)
	c.next = at + 1
	c.links[at&windowMask] = uint16(min(link, maxDistance))
	return at - int(min(link, 1<<30))
}

// before returns the position that at links to. If there is none, the result is negative or out of
// range.
func (c *chains) before(at int) int { return at - int(c.links[at&windowMask]) }

// longest finds a match that covers pos, starts at low or later, and is longer than length;
// low+length must be at least 3 beyond pos. It prefers the longest and, among those, the nearest
// match. The result has length 0 if there is none.
func (c *chains) longest(pos, low, length, depth int) (best match) {
	src := c.src
	word := binary.LittleEndian.Uint32(src[pos:])
	var at int
	if c.next > pos {
		at = c.before(pos)
	} else {
		c.enter(pos)
		at = c.swap(pos, word)
	}
	if word == word<<8|word>>24 {
		return c.longestRun(pos, low, length, at, depth)
	}
	if start, n, distance, ok := lz4block.Longest(src, &c.links, c.end, pos, low, length, at, depth); ok {
		return match{start, n, distance}
	}
	skew := low + length - 3 - pos // a longer match must agree there too
	tail := binary.LittleEndian.Uint32(src[pos+skew:])
	oldest := max(0, pos-maxDistance)
	for left := depth; at >= oldest && left > 0; left-- {
		if binary.LittleEndian.Uint32(src[at+skew:]) == tail && binary.LittleEndian.Uint32(src[at:]) == word {
			if m := c.extend(pos, low, pos-at); m.length > length {
				best, length = m, m.length
				if m.end() == c.end {
					break
				}
				skew = low + length - 3 - pos
				tail = binary.LittleEndian.Uint32(src[pos+skew:])
			}
		}
		at -= int(c.links[at&windowMask])
	}
	return best
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
	if pos > 0 && src[pos-1] == byte(word) {
		best = c.extendBack(pos, low, pos+here, 1)
		if best.length <= length {
			best = match{}
		}
		length = max(length, best.length)
		at = pos - int(c.links[pos&windowMask])
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
		first, end := at, at+minMatch // at is the last position with this word in its run
		if at > 0 && src[at-1] == byte(word) {
			first -= int(c.links[at&windowMask])
		}
		if from := max(first, end-here); from >= oldest {
			stop := pos + end - from
			if end-from == here {
				stop += common(src[:c.end], stop, pos-from)
			}
			if stop-low > length {
				if m := c.extendBack(pos, low, stop, pos-from); m.length > length {
					best, length = m, m.length
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
	src := c.src
	end := pos + minMatch
	if end+8 > c.end {
		end += common(src[:c.end], end, distance)
	} else if diff := binary.LittleEndian.Uint64(src[end:]) ^ binary.LittleEndian.Uint64(src[end-distance:]); diff != 0 {
		end += bits.TrailingZeros64(diff) >> 3
	} else {
		end += 8 + common(src[:c.end], end+8, distance)
	}
	return c.extendBack(pos, low, end, distance)
}

// extendBack returns the match at a distance that covers pos to end, extended backwards to low.
func (c *chains) extendBack(pos, low, end, distance int) match {
	src := c.src
	for low = max(low, distance); pos-distance >= 8; pos -= 8 {
		diff := binary.LittleEndian.Uint64(src[pos-8:]) ^ binary.LittleEndian.Uint64(src[pos-8-distance:])
		if equal := bits.LeadingZeros64(diff) >> 3; equal < 8 || pos-low <= 8 {
			pos -= min(equal, pos-low)
			return match{pos, end - pos, distance}
		}
	}
	for pos > low && src[pos-1] == src[pos-1-distance] {
		pos--
	}
	return match{pos, end - pos, distance}
}
