package zstd

import (
	"slices"

	"github.com/cairn-go/cairn/internal/asm/zstdfind"
)

// An optimalFinder determines the cheapest division of a block into literals and matches by
// estimated prices. Since the prices depend on the result, it makes several passes, each with the
// prices of the previous result.
type optimalFinder struct {
	tree   zstdfind.Tree
	size   uint32
	passes int

	found []zstdfind.Candidate
	from  []uint32 // index in found of the first match of each position
	ways  zstdfind.Ways
	// per position without a match that ends there: literals since the last match
	literals []uint32
	repeat   [][3]uint32 // per position, once visited
	steps    []sequence
	stats    statistics
	price    prices
}

const unreached = 1<<31 - 1

// newOptimalFinder returns a finder that compares depth earlier positions per position, and takes
// matches of length enough without considering positions within.
func newOptimalFinder(depth, enough, passes int) *optimalFinder {
	return &optimalFinder{passes: passes, tree: zstdfind.Tree{Depth: depth, Nice: enough}}
}

func (f *optimalFinder) begin(src []byte) {
	t := &f.tree
	t.Base += f.size
	if t.Base == 0 || t.Base > maxEpoch || len(src) > maxEpoch {
		clear(t.Roots[:])
		clear(t.Three[:])
		t.Base = 1
	}

	f.size = uint32(len(src))
	if need := 2 << min(bitLength(max(len(src), 1)-1), maxTreeLog); len(t.Below) < need {
		t.Below = make([]uint32, need)
	}
}

const maxTreeLog = 20 // maximum history, as a power of two

func (f *optimalFinder) find(e *Encoder, src []byte, from, to int) {
	f.grow(to - from + 1)
	f.collect(src, from, to)

	f.stats.guess(src[from:to])
	for pass := range f.passes {
		if pass > 0 {
			f.count(e, src[from:to])
		}
		f.price.set(&f.stats, e.block.litShare)
		e.seqs = e.seqs[:0]
		f.weigh(e.repeat, src[:to], from)
		f.emit(e, to-from)
	}
}

// count sets the statistics to those of the current result.
func (f *optimalFinder) count(e *Encoder, raw []byte) {
	e.gather(raw)
	f.stats.count(e)
}

// grow allocates space for n positions.
func (f *optimalFinder) grow(n int) {
	if len(f.literals) >= n {
		return
	}
	f.ways = zstdfind.Ways{Price: make([]uint32, n), Length: make([]uint32, n), Distance: make([]uint32, n)}
	f.literals = make([]uint32, n)
	f.repeat = make([][3]uint32, n)
	f.from = make([]uint32, n+1)
}

// collect finds the matches of the block.
func (f *optimalFinder) collect(src []byte, from, to int) {
	t := &f.tree
	t.Src = src
	f.found = f.found[:0]
	limit := min(to, len(src)-endRoom)
	skip := from // ignore matches before this position

	for at := from; at < to; at++ {
		f.from[at-from] = uint32(len(f.found))
		switch {
		case at >= limit:
		case at < skip:
			if skip-at < 32 || at&31 == 0 {
				t.Visit(at)
			}
		default:
			t.Visit(at)
			f.found = append(f.found, t.Found[:t.N]...)
			if t.N == 0 || int(t.Found[t.N-1].Length) < t.Nice {
				continue
			}
			m := &f.found[len(f.found)-1]
			m.Length += uint32(matchLength(src, at+int(m.Length)-int(m.Distance), at+int(m.Length), to))
			skip = at + int(m.Length)
		}
	}
	f.from[to-from] = uint32(len(f.found))
	t.Src = nil
}

// weigh finds the cheapest path from the start of the block to its end. The price of a position
// includes that of the literals there.
func (f *optimalFinder) weigh(repeat [3]uint32, src []byte, from int) {
	n := len(src) - from
	prices := f.ways.Price[:n+1]
	lengths := f.ways.Length[:n+1]

	for i := range prices {
		prices[i] = unreached
	}
	prices[0] = f.price.ofRun(0)
	lengths[0] = 0
	f.literals[0] = 0
	f.repeat[0] = repeat

	for i := 0; i < n; {
		price := prices[i]
		if price == unreached {
			i++
			continue
		}

		if i > 0 {
			f.arrive(i)
		}
		run := f.literals[i]
		p := price + f.price.literal[src[from+i]] + f.price.ofRun(run+1) - f.price.ofRun(run)
		if p < prices[i+1] {
			prices[i+1] = p
			lengths[i+1] = 0
			f.literals[i+1] = run + 1
		}

		longest := 1
		if n-i >= endRoom {
			longest = f.repeats(i, src, from+i)
			longest = max(longest, f.matches(i, n-i))
		}

		if longest < f.tree.Nice {
			longest = 1
		}
		i += longest
	}
}

// arrive sets the repeated distances of a position according to its path (RFC 8878 §3.1.1.5).
func (f *optimalFinder) arrive(i int) {
	n := int(f.ways.Length[i])
	if n == 0 {
		f.repeat[i] = f.repeat[i-1]
		return
	}

	before := i - n
	r := f.repeat[before]
	switch d := f.ways.Distance[i]; {
	case d == r[0] && f.literals[before] > 0:
	case d == r[1]:
		r[0], r[1] = d, r[0]
	default:
		r[0], r[1], r[2] = d, r[0], r[1]
	}
	f.repeat[i] = r
	f.literals[i] = 0
}

// repeats considers matches at repeated distances and returns the length of the longest.
func (f *optimalFinder) repeats(i int, src []byte, at int) (longest int) {
	base := f.ways.Price[i] + f.price.ofRun(0)
	r := f.repeat[i]

	if f.literals[i] == 0 {
		r[0], r[1], r[2] = r[1], r[2], r[0]-1
	}

	v := load32(src, at) << 8
	for code, distance := range r {
		back := at - int(distance)
		if back < 0 || back >= at || load32(src, back)<<8 != v {
			continue
		}
		n := 3 + matchLength(src, back+3, at+3, len(src))
		f.reach(i, 3, n, base+f.price.offset[highBit(uint32(code)+1)], distance)
		longest = max(longest, n)
	}
	return longest
}

// matches considers the collected matches, up to room bytes, and returns the length of the longest.
func (f *optimalFinder) matches(i, room int) int {
	shortest := 3
	base := f.ways.Price[i] + f.price.ofRun(0)
	for _, m := range f.found[f.from[i]:f.from[i+1]] {
		n := min(int(m.Length), room)
		if n < shortest {
			continue
		}
		f.reach(i, shortest, n, base+f.price.offset[highBit(m.Distance+3)], m.Distance)
		shortest = n + 1
	}
	return shortest - 1
}

// reach relaxes the positions from shortest to longest bytes ahead with a match.
func (f *optimalFinder) reach(i, shortest, longest int, base, distance uint32) {
	if longest < f.tree.Nice {
		f.ways.Relax(i+shortest, f.price.length[shortest:longest+1], base, uint32(shortest), distance)
		return
	}

	end := i + longest
	if p := base + f.price.ofLength(uint32(longest)); p < f.ways.Price[end] {
		f.ways.Price[end] = p
		f.ways.Length[end] = uint32(longest)
		f.ways.Distance[end] = distance
	}
}

// emit follows the cheapest path backwards and adds its sequences.
func (f *optimalFinder) emit(e *Encoder, n int) {
	f.steps = f.steps[:0]
	i := n
	if f.ways.Length[n] == 0 {
		i -= int(f.literals[n])
	}

	for i > 0 {
		s := sequence{Length: f.ways.Length[i], Distance: f.ways.Distance[i]}
		i -= int(s.Length)
		s.Literals = f.literals[i]
		f.steps = append(f.steps, s)
		i -= int(s.Literals)
	}

	slices.Reverse(f.steps)
	e.seqs = append(e.seqs, f.steps...)
}
