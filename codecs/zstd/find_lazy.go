package zstd

import "math/bits"

const (
	rowSlots = 8
	rowLog   = 13 // of the number of rows
	hash4Mul = 2654435761
)

// A row holds the latest positions with the same hash, and in tags more of the hash of each, so that most of those that only
// happen to share the row are ruled out together. The latest is in slot first, the one before in the next slot, and so on around.
type row struct {
	tags  uint64
	at    [rowSlots]uint32
	first uint32
	_     [20]byte // up to a line of cache
}

// A lazyFinder looks for the longest of several matches, and whether a byte or two later there is a better one.
//
// Positions are stored plus base, which grows from stream to stream, so that what earlier ones left is recognised and nothing need be
// cleared. As rows are looked at from the latest on, it makes no difference in which slot that is.
type lazyFinder struct {
	attempts int // candidates to look at per position
	patience int // positions to look at after a match is found
	rows     [1 << rowLog]row
	base     uint32
	size     uint32
	next     int // position to insert
}

func (f *lazyFinder) begin(src []byte) {
	f.base += f.size
	if f.base == 0 || f.base > maxEpoch || len(src) > maxEpoch {
		clear(f.rows[:])
		f.base = 1
	}
	f.size, f.next = uint32(len(src)), 0
}

// place returns the row and the tag of the four bytes v.
func (f *lazyFinder) place(v uint32) (*row, uint8) {
	h := v * hash4Mul >> (32 - rowLog - 8)
	return &f.rows[h>>8&(1<<rowLog-1)], uint8(h)
}

// insert adds the positions before at. Of long stretches it adds the ends only: what is within repeats itself.
func (f *lazyFinder) insert(src []byte, at int) {
	if at-f.next > 384 {
		for i := f.next; i < f.next+96; i++ {
			f.add(src, i)
		}
		f.next = at - 32
	}
	for ; f.next < at; f.next++ {
		f.add(src, f.next)
	}
}

func (f *lazyFinder) add(src []byte, at int) {
	r, tag := f.place(load32(src, at))
	r.add(tag, f.base+uint32(at))
}

// add replaces the oldest position.
func (r *row) add(tag uint8, now uint32) {
	r.first = (r.first - 1) % rowSlots
	r.at[r.first] = now
	shift := r.first * 8
	r.tags = r.tags&^(0xff<<shift) | uint64(tag)<<shift
}

// tagged returns a bit for every slot that may have the tag, the latest first.
func (r *row) tagged(tag uint8) uint32 {
	const ones, tops, gather = 0x0101010101010101, 0x8080808080808080, 0x0102040810204080
	x := r.tags ^ uint64(tag)*ones
	mask := uint32((x - ones) &^ x & tops >> 7 * gather >> 56)
	mask |= mask << 8
	return mask >> (r.first % rowSlots) & 0xff
}

// longest returns the longest match of src[at:] and how far back it is. It inserts the position and all that is before.
func (f *lazyFinder) longest(src []byte, at int) (length, distance int) {
	f.insert(src, at)
	v := load32(src, at)
	r, tag := f.place(v)
	length = 3
	tries := f.attempts
	for mask := r.tagged(tag); mask != 0; mask &= mask - 1 {
		slot := (uint32(bits.TrailingZeros32(mask)) + r.first) % rowSlots
		candidate := int(r.at[slot]) - int(f.base)
		if candidate < 0 || at+length >= len(src) {
			break
		}
		if src[candidate+length] == src[at+length] && load32(src, candidate) == v {
			if n := 4 + matchLength(src, candidate+4, at+4, len(src)); n > length {
				length, distance = n, at-candidate
			}
		}
		if tries--; tries == 0 {
			break
		}
	}
	r.add(tag, f.base+uint32(at))
	f.next = at + 1
	return length, distance
}

// A match is where to go on from, and how to get there.
type match struct {
	at, length, distance int
	gain                 int // in units of a quarter byte, less what the distance takes
}

// better replaces m by the best match at a position if that is better by handicap.
func (f *lazyFinder) better(m *match, rep int, src []byte, at, anchor, handicap int) bool {
	found := false
	if at > anchor && rep <= at && load32(src, at-rep) == load32(src, at) {
		n := 4 + matchLength(src, at-rep+4, at+4, len(src))
		if gain := 4 * n; gain > m.gain+handicap {
			*m = match{at, n, rep, gain}
			found, handicap = true, 0
		}
	}
	if n, distance := f.longest(src, at); distance > 0 {
		if gain := 4*n - int(highBit(uint32(distance)+3)); gain > m.gain+handicap {
			*m = match{at, n, distance, gain}
			found = true
		}
	}
	return found
}

func (f *lazyFinder) find(e *Encoder, src []byte, from, to int) {
	src = src[:to]
	anchor, at := from, from
	limit := to - endRoom
	for at < limit {
		var m match
		rep := int(e.repeat[0])
		if !f.better(&m, rep, src, at, anchor, 3) {
			step := 1 + (at-anchor)>>8
			at += step
			if step > 16 {
				f.next = at // what is passed by this fast is not worth adding
			}
			continue
		}
		for wait := 1; wait <= f.patience && m.at+wait < limit; wait++ {
			if f.better(&m, rep, src, m.at+wait, anchor, 3*wait+1) {
				wait = 0
			}
		}
		at = m.at
		n, back := m.length, m.at-m.distance
		for at > anchor && back > 0 && src[at-1] == src[back-1] {
			at, back, n = at-1, back-1, n+1
		}
		e.push(src, anchor, at, n, uint32(m.distance))
		at += n
		anchor = at
		for other := int(e.repeat[1]); at < limit && at >= other && load32(src, at) == load32(src, at-other); other = int(e.repeat[1]) {
			n := 4 + matchLength(src, at+4-other, at+4, to)
			e.push(src, at, at, n, uint32(other))
			at += n
			anchor = at
		}
	}
	e.lits = append(e.lits, src[anchor:]...)
	f.insert(src, max(f.next, to-3))
}
