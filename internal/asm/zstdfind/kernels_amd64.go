//go:build !purego

package zstdfind

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Find replaces what is in Out by the next matches, until Out is full or the data ends.
func (s *State) Find() {
	if cpu.AVX2 {
		findAVX2(s)
		return
	}
	s.findGeneric()
}

//go:noescape
func findAVX2(s *State)

// Longest returns the longest match at a position, which has four bytes behind it and is Next or
// later, and how far back that is: 3 and 0 if there is none of four bytes or more. It adds the
// position and all those before that have not been.
func (r *Rows) Longest(at int) (length, distance int) {
	if cpu.AVX2 {
		return longestAVX2(r, at, false)
	}
	return r.longestGeneric(at, false)
}

// Peek is Longest, but adds nothing; the position may be any from Next on.
func (r *Rows) Peek(at int) (length, distance int) {
	if cpu.AVX2 {
		return longestAVX2(r, at, true)
	}
	return r.longestGeneric(at, true)
}

//go:noescape
func longestAVX2(r *Rows, at int, peek bool) (length, distance int)

// Visit adds a position, which has eight bytes behind it, and sets Found to the matches that it
// comes across, each longer than the one before. It looks at no more positions once one matches for
// Nice bytes, and compares no more than that.
func (t *Tree) Visit(at int) {
	if cpu.AVX2 {
		visitAVX2(t, at)
		return
	}
	t.visitGeneric(at)
}

//go:noescape
func visitAVX2(t *Tree, at int)

// Relax offers the positions from at on, one for each of costs, a match of the given length, and
// one more for each: it costs base more than costs says. All prices are below 1<<31.
func (w *Ways) Relax(at int, costs []uint32, base, length, distance uint32) {
	n := len(costs)
	if !cpu.AVX2 || n == 0 {
		w.relaxGeneric(at, costs, base, length, distance)
		return
	}
	prices, lengths, distances := w.Price[at:][:n], w.Length[at:][:n], w.Distance[at:][:n]
	relaxAVX2(&prices[0], &lengths[0], &distances[0], &costs[0], n, base, length, distance)
}

//go:noescape
func relaxAVX2(prices, lengths, distances, costs *uint32, n int, base, length, distance uint32)
