package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdfind"

const (
	longLog  = 16
	shortLog = 15

	doubleStep = 5 // the longest step, as a power of two
)

// A doubleFinder has two tables: one for matches of at least eight bytes, the other for matches of
// at least four. Positions are stored plus base as in a fastFinder.
type doubleFinder struct {
	long  [1 << longLog]uint32
	short [1 << shortLog]uint32
	base  uint32
	size  uint32
	lazy  bool // whether to check for a better match at the next position
	// the step grows by 1 after each 1<<haste bytes without a match
	haste uint8
	step  int // distance between the positions that are inserted within a match
}

func (f *doubleFinder) begin(src []byte) {
	f.base += f.size
	if f.base == 0 || f.base > maxEpoch || len(src) > maxEpoch {
		clear(f.long[:])
		clear(f.short[:])
		f.base = 1
	}
	f.size = uint32(len(src))
}

// swap returns the entries of both tables for the eight bytes v, and sets them to at.
func (f *doubleFinder) swap(v uint64, at int) (long, short int) {
	now := f.base + uint32(at)
	l, s := &f.long[v*hashMul>>(64-longLog)], &f.short[v<<24*hashMul>>(64-shortLog)]
	long, short = int(*l)-int(f.base), int(*s)-int(f.base)
	*l, *s = now, now
	return long, short
}

// longest returns the longer of the matches at a position, or length 0.
func (f *doubleFinder) longest(src []byte, at int) (length, candidate int) {
	v := load64(src, at)
	long, short := f.swap(v, at)
	if long >= 0 && load64(src, long) == v {
		return 8 + matchLength(src, long+8, at+8, len(src)), long
	}
	if short >= 0 && load32(src, short) == uint32(v) {
		return 4 + matchLength(src, short+4, at+4, len(src)), short
	}
	return 0, 0
}

func (f *doubleFinder) find(e *Encoder, src []byte, from, to int) {
	src = src[:to]
	anchor, at := from, max(from, 1)
	latest := int(e.repeat[0])
	limit := to - endRoom
	for at < limit {
		if back := at + 2 - latest; back >= 0 && load32(src, back) == load32(src, at+2) {
			n := 4 + matchLength(src, back+4, at+6, to)
			long, _ := f.swap(load64(src, at), at)
			// If the end of a short run also matches, the whole run may have occurred before.
			if other := f.beyond(src, long, at, n+2); other > 4*n+16 {
				latest = at - long
				n, back = other, long
			} else {
				at += 2
			}
			for at > anchor && back > 0 && src[at-1] == src[back-1] {
				at, back, n = at-1, back-1, n+1
			}
			e.push(at-anchor, n, uint32(latest))
			at = f.advance(src, at, n, limit)
			anchor = at
			continue
		}
		n, candidate := f.longest(src, at)
		if n == 0 {
			at = zstdfind.Next(at, (at-anchor)>>(f.haste&31), doubleStep)
			continue
		}
		for tries := 0; tries < 2 && at+1 < limit && f.lazy; tries++ {
			n2, c2 := f.longest(src, at+1)
			if n2 < n+1 || n2 == n+1 && at+1-c2 > (at-candidate)<<1 {
				break
			}
			at, n, candidate = at+1, n2, c2
		}
		for at > anchor && candidate > 0 && src[at-1] == src[candidate-1] {
			at, candidate, n = at-1, candidate-1, n+1
		}
		before := latest
		latest = at - candidate
		e.push(at-anchor, n, uint32(latest))
		at = f.advance(src, at, n, limit)
		for at < limit && at >= before && load32(src, at) == load32(src, at-before) {
			n := 4 + matchLength(src, at+4-before, at+4, to)
			e.push(0, n, uint32(before))
			latest, before = before, latest
			at = f.advance(src, at, n, limit)
		}
		anchor = at
	}
}

// beyond returns the length of the match of src[at:] at a candidate if it is longer than n bytes,
// else 0.
func (f *doubleFinder) beyond(src []byte, candidate, at, n int) int {
	if !f.lazy || candidate < 0 || at+n+8 > len(src) || load64(src, candidate+n) != load64(src, at+n) {
		return 0
	}
	return matchLength(src, candidate, at, len(src))
}

// advance returns the end of the match at a position and inserts some of the positions within.
func (f *doubleFinder) advance(src []byte, at, n, limit int) int {
	end := at + n
	step := f.step
	if n <= 16 && f.lazy {
		step = 2
	}
	for i := at + 2; i < min(end, at+256, limit); i += step {
		f.swap(load64(src, i), i)
	}
	if last := end - 2; last < limit {
		f.swap(load64(src, last), last)
	}
	return end
}
