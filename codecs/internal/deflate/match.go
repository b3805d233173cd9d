package deflate

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/hashchain"
)

const (
	hashBits   = 15
	tripleBits = 16
	longBits   = 13
	// shortest is the minimum length of a match: one of three bytes rarely pays.
	shortest = 4
	// windowMask maps a position to its index among the last maxDistance positions.
	windowMask = maxDistance - 1
	// recentDistances is the number of recent distances.
	recentDistances = 4
	// noDistance is larger than any distance.
	noDistance = 1 << 30
	// tail is the number of bytes at the end where no match begins, so that whole words can be
	// loaded.
	tail = 8
)

// A finder finds earlier occurrences with hash chains. Positions continue from one source to the
// next, so that nothing need be cleared: positions of earlier sources are out of range.
type finder struct {
	head    [1 << hashBits]uint32
	links   [maxDistance]hashchain.Link
	search  hashchain.Search
	all     hashchain.Chains
	triples *[1 << tripleBits]uint32
	long    *[1 << longBits]uint32 // by eight bytes, without chains
	runs    bool
	recent  [recentDistances]int // distances of matches; a reused distance moves forward
	tried   []int                // the part of recent that is tried
	base    uint32               // position of the source's first byte
	next    int                  // first position that has not been inserted
}

// set applies the settings of a level.
func (f *finder) set(e effort) {
	f.runs = e.runs
	f.tried = f.recent[:e.recent]
	if e.lazy > 0 {
		f.triples = new([1 << tripleBits]uint32)
	}
	if e.lazy == 0 && e.depth > 0 {
		f.long = new([1 << longBits]uint32)
	}
}

// reset prepares for src.
func (f *finder) reset(src []byte, before int) {
	n := len(src)
	f.next = 0
	f.search = hashchain.Search{Src: src, Links: f.links[:]}

	for k := range f.recent {
		f.recent[k] = noDistance
	}

	const most = 1 << 30
	if next := int64(f.base) + int64(before); f.base != 0 && next+int64(n) < most {
		f.base = uint32(next)
		return
	}

	clear(f.head[:])
	if f.triples != nil {
		clear(f.triples[:])
	}
	if f.long != nil {
		clear(f.long[:])
	}
	f.base = 1 // 0 precedes every source
}

func hash(v uint32) uint32 { return v * hashchain.Factor >> (32 - hashBits) }

// swap makes i the last position of a hash, and returns the previous one, which is negative if
// there is none.
func (f *finder) swap(slot *uint32, i int) int {
	candidate := int(*slot) - int(f.base)
	*slot = f.base + uint32(i)
	return candidate
}

// link links position i to the previous one of its hash.
func (f *finder) link(i, previous int) {
	f.links[i&windowMask] = hashchain.LinkTo(uint32(i - previous))
}

// insert inserts position i, which must be new, and returns the previous position of the same hash,
// or a negative number. Only the first position of a run of one byte is inserted, so that chains
// skip the rest of runs.
func (f *finder) insert(src []byte, i int) int {
	v := binary.LittleEndian.Uint32(src[i:])
	slot := &f.head[hash(v)]
	f.next = i + 1
	if i > 0 && v == binary.LittleEndian.Uint32(src[i-1:]) {
		return int(*slot) - int(f.base)
	}

	candidate := f.swap(slot, i)
	f.link(i, candidate)
	return candidate
}

// used records a distance. A reused distance swaps places with the one before it; a new one takes
// the last place.
func (f *finder) used(d int) {
	if d == 1 {
		return
	}
	r := &f.recent

	for k := range r {
		if r[k] == d {
			if k > 0 {
				r[k-1], r[k] = r[k], r[k-1]
			}
			return
		}
	}
	r[len(r)-1] = d
}

// enter inserts the positions from i to end except those within runs.
func (f *finder) enter(src []byte, i, end int) {
	if i >= end {
		return
	}
	f.all.Next = i
	f.all.Enter(end)
	f.next = end
}

// triple inserts the three bytes at i and returns the distance to their previous occurrence.
func (f *finder) triple(src []byte, i int) int {
	v := binary.LittleEndian.Uint32(src[i:]) << 8
	h := &f.triples[v*0x9e3779b1>>(32-tripleBits)]

	c := f.swap(h, i)
	if c < max(i-maxDistance+1, 0) || binary.LittleEndian.Uint32(src[c:])<<8 != v {
		return 0
	}
	return i - c
}

// note inserts position i into a table without chains, and returns the previous position of the
// same hash, or a negative number.
func (f *finder) note(src []byte, i int, slots []uint32) int {
	shift := bits.LeadingZeros64(uint64(len(slots) - 1))
	return f.swap(&slots[binary.LittleEndian.Uint64(src[i:])*0x9e3779b97f4a7c15>>shift], i)
}

// latest inserts position i and returns a match of at least eight bytes at the previous position of
// the same hash, if there is one. Shorter matches are no faster than literals.
func (f *finder) latest(src []byte, i int, slots []uint32) (length, back int) {
	candidate := f.note(src, i, slots)
	if candidate < max(i-maxDistance, 0) || binary.LittleEndian.Uint64(src[candidate:]) != binary.LittleEndian.Uint64(src[i:]) {
		return 0, 0
	}
	return commonFrom(src, candidate, i, 8, min(maxMatch, len(src)-i)), i - candidate
}

// common returns the number of equal bytes from a and b, at most limit. a must be less than b, and
// tail bytes must follow b+limit.
func common(src []byte, a, b, limit int) int {
	if d := binary.LittleEndian.Uint64(src[a:]) ^ binary.LittleEndian.Uint64(src[b:]); d != 0 {
		return bits.TrailingZeros64(d) >> 3
	}
	return commonFrom(src, a, b, 8, limit)
}

// commonFrom is common if the first n bytes are known to be equal.
func commonFrom(src []byte, a, b, n, limit int) int {
	y := src[b : b+limit]
	x := src[a : a+limit]

	for ; n+16 <= len(y) && n+16 <= len(x); n += 16 {
		d := binary.LittleEndian.Uint64(x[n:]) ^ binary.LittleEndian.Uint64(y[n:])
		e := binary.LittleEndian.Uint64(x[n+8:]) ^ binary.LittleEndian.Uint64(y[n+8:])
		if d != 0 {
			return n + bits.TrailingZeros64(d)>>3
		}
		if e != 0 {
			return n + 8 + bits.TrailingZeros64(e)>>3
		}
	}

	for ; n+8 <= len(y) && n+8 <= len(x); n += 8 {
		if d := binary.LittleEndian.Uint64(x[n:]) ^ binary.LittleEndian.Uint64(y[n:]); d != 0 {
			return n + bits.TrailingZeros64(d)>>3
		}
	}

	for n < len(y) && n < len(x) && x[n] == y[n] {
		n++
	}
	return n
}
