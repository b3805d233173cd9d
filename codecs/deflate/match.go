package deflate

import (
	"encoding/binary"
	"math/bits"
)

const (
	hashBits = 15
	// shortest is the shortest match that is looked for: one of three bytes rarely pays.
	shortest = 4
	// windowMask turns a position into its index among the last maxDistance ones.
	windowMask = maxDistance - 1
	// tail is how many bytes at the end begin no match, so that words can be loaded.
	tail = 8
)

// A finder finds earlier occurrences by way of hash chains. Positions count on from one source to the next, so that nothing has to
// be cleared: whatever is left from an earlier source is too far back.
type finder struct {
	head [1 << hashBits]int32
	prev [maxDistance]int32
	base int32 // the position of the source's first byte
	next int   // all from here on are yet to be entered
}

// reset makes room for positions of n bytes.
func (f *finder) reset(n, before int) {
	f.next = 0
	const most = 1 << 30
	if next := int64(f.base) + int64(before); f.base != 0 && next+int64(n) < most {
		f.base = int32(next)
		return
	}
	f.head = [1 << hashBits]int32{}
	f.base = 1 // 0 is before every source
}

func hash(v uint32) uint32 { return v * 0x9e3779b1 >> (32 - hashBits) }

// insert enters the position i, which must not be known yet, and returns the last one of the same hash: negative if there is none.
func (f *finder) insert(src []byte, i int) int {
	h := &f.head[hash(binary.LittleEndian.Uint32(src[i:]))]
	candidate := *h
	position := f.base + int32(i)
	*h = position
	f.prev[position&windowMask] = candidate
	f.next = i + 1
	return int(candidate) - int(f.base)
}

// find enters the position i, and looks for a match there that is longer than best, at up to depth places. A match of nice
// bytes is good enough.
func (f *finder) find(src []byte, i, best, depth, nice int) (length, back int) {
	candidate := f.insert(src, i)
	longest := min(maxMatch, len(src)-i)
	if best >= longest {
		return 0, 0
	}
	// Only what agrees in the byte that decides, and in the three before it, is compared from the start.
	want := binary.LittleEndian.Uint32(src[i+best-3:])
	nearest := max(i-maxDistance+1, 0) // the entry of one further back is that of i
	for ; candidate >= nearest && depth > 0; depth-- {
		if binary.LittleEndian.Uint32(src[candidate+best-3:]) == want {
			if n := common(src, candidate, i, longest); n > best {
				best, length, back = n, n, i-candidate
				if n >= nice || n == longest {
					break
				}
				want = binary.LittleEndian.Uint32(src[i+best-3:])
			}
		}
		candidate = int(f.prev[(candidate+int(f.base))&windowMask]) - int(f.base)
	}
	return length, back
}

// note enters the position i, and returns the last one of the same hash, negative if there is none. It keeps no chains.
func (f *finder) note(src []byte, i int) int {
	h := &f.head[six(src, i)*0x9e3779b97f4a7c15>>(64-hashBits)]
	candidate := *h
	*h = f.base + int32(i)
	return int(candidate) - int(f.base)
}

// six is the six bytes from i on, shifted up.
func six(src []byte, i int) uint64 { return binary.LittleEndian.Uint64(src[i:]) << 16 }

// latest enters the position i, and returns a match at the last one of the same hash, if there is any. It wants six bytes: fewer, as
// literals, take no longer.
func (f *finder) latest(src []byte, i int) (length, back int) {
	candidate := f.note(src, i)
	if candidate < max(i-maxDistance, 0) || six(src, candidate) != six(src, i) {
		return 0, 0
	}
	return common(src, candidate, i, min(maxMatch, len(src)-i)), i - candidate
}

// common is how many bytes from a and from b on are the same, of at most limit. a is less than b, and behind b there are tail bytes.
func common(src []byte, a, b, limit int) int {
	if d := binary.LittleEndian.Uint64(src[a:]) ^ binary.LittleEndian.Uint64(src[b:]); d != 0 {
		return bits.TrailingZeros64(d) >> 3
	}
	return commonFrom(src, a, b, 8, limit)
}

// commonFrom is common where the first n bytes are known to be the same.
func commonFrom(src []byte, a, b, n, limit int) int {
	y := src[b : b+limit]
	x := src[a : a+limit]
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
