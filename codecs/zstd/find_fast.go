package zstd

import (
	"encoding/binary"
	"math/bits"
)

const (
	fastLog  = 14
	hashMul  = 0xcf1bbcdcb7a56463 // an odd number with well spread bits
	endRoom  = 8                  // matches do not begin in the last bytes, so that they can be read eight at a time
	maxEpoch = 1 << 30
)

func load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// matchLength returns how many bytes from src[a:] and src[b:] are equal, a being before b, up to src[:end].
func matchLength(src []byte, a, b, end int) int {
	start := b
	for b+8 <= end {
		if x := load64(src, a) ^ load64(src, b); x != 0 {
			return b - start + bits.TrailingZeros64(x)>>3
		}
		a += 8
		b += 8
	}
	for b < end && src[a] == src[b] {
		a++
		b++
	}
	return b - start
}

// A fastFinder takes the first match it comes across, and steps faster the longer it finds none.
//
// Its table holds positions plus base; base grows from stream to stream, so that what earlier ones left is out of range and the table
// need not be cleared.
type fastFinder struct {
	table [1 << fastLog]uint32
	base  uint32
	size  uint32
}

func (f *fastFinder) begin(src []byte) {
	f.base += f.size
	if f.base == 0 || f.base > maxEpoch || len(src) > maxEpoch {
		clear(f.table[:])
		f.base = 1
	}
	f.size = uint32(len(src))
}

// hash6 mixes the lower six bytes of v.
func hash6(v uint64, log uint8) uint64 { return v << 16 * hashMul >> (64 - log&63) }

func (f *fastFinder) find(e *Encoder, src []byte, from, to int) {
	src = src[:to]
	anchor, at := from, max(from, 1)
	limit := to - endRoom
	rep := int(e.repeat[0])
	for at < limit {
		v := load64(src, at)
		slot := &f.table[hash6(v, fastLog)&(1<<fastLog-1)]
		candidate := int(*slot) - int(f.base)
		*slot = f.base + uint32(at)
		// The latest distance, one byte on, is cheaper than anything else.
		if back := at + 1 - rep; back >= 0 && load32(src, back) == uint32(v>>8) {
			at++
			n := 4 + matchLength(src, back+4, at+4, to)
			for at > anchor && back > 0 && src[at-1] == src[back-1] {
				at, back, n = at-1, back-1, n+1
			}
			e.push(src, anchor, at, n, uint32(rep))
			at += n
			anchor = at
			f.insert(src, at, limit)
			continue
		}
		if candidate < 0 || load32(src, candidate) != uint32(v) {
			at += 1 + (at-anchor)>>7
			continue
		}
		n := 4 + matchLength(src, candidate+4, at+4, to)
		for at > anchor && candidate > 0 && src[at-1] == src[candidate-1] {
			at, candidate, n = at-1, candidate-1, n+1
		}
		rep = at - candidate
		e.push(src, anchor, at, n, uint32(rep))
		at += n
		anchor = at
		f.insert(src, at, limit)
		// Without literals in between the distance before comes first.
		for other := int(e.repeat[1]); at < limit && at >= other && load32(src, at) == load32(src, at-other); other = int(e.repeat[1]) {
			n := 4 + matchLength(src, at+4-other, at+4, to)
			e.push(src, at, at, n, uint32(other))
			rep = other
			at += n
			anchor = at
		}
	}
	e.lits = append(e.lits, src[anchor:]...)
}

// insert adds a position within the match that ends at the given one.
func (f *fastFinder) insert(src []byte, at, limit int) {
	if at -= 2; at < limit {
		f.table[hash6(load64(src, at), fastLog)&(1<<fastLog-1)] = f.base + uint32(at)
	}
}
