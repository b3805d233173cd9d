//go:build !purego

package zstdfind

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Find replaces the contents of Out with the next matches, until Out is full or the data ends.
func (s *State) Find() {
	if cpu.NEON {
		findNEON(s)
		return
	}
	s.findGeneric()
}

//go:noescape
func findNEON(s *State)

// Longest returns the longest match at a position and its distance, or 3 and 0 if there is none of
// at least four bytes. The position must be at least Next and have four bytes behind it. Longest
// adds the position and all earlier ones that are missing.
func (r *Rows) Longest(at int) (length, distance int) {
	if cpu.NEON {
		return longestNEON(r, at, false)
	}
	return r.longestGeneric(at, false)
}

// Peek is Longest, but adds nothing. The position must be at least Next.
func (r *Rows) Peek(at int) (length, distance int) {
	if cpu.NEON {
		return longestNEON(r, at, true)
	}
	return r.longestGeneric(at, true)
}

//go:noescape
func longestNEON(r *Rows, at int, peek bool) (length, distance int)

// Visit adds a position, which must have eight bytes behind it, and sets Found to the matches on
// its path through the tree, each longer than the one before. It stops at the first match of Nice
// bytes, and compares no more bytes than that.
func (t *Tree) Visit(at int) {
	if cpu.NEON {
		visitNEON(t, at)
		return
	}
	t.visitGeneric(at)
}

//go:noescape
func visitNEON(t *Tree, at int)

// Relax offers a match of length bytes to position at, one of length+1 bytes to at+1, and so on,
// one for each of costs. A match costs base plus its element of costs. All prices must be below
// 1<<31.
func (w *Ways) Relax(at int, costs []uint32, base, length, distance uint32) {
	n := len(costs)
	if !cpu.NEON || n == 0 {
		w.relaxGeneric(at, costs, base, length, distance)
		return
	}
	prices, lengths, distances := w.Price[at:][:n], w.Length[at:][:n], w.Distance[at:][:n]
	relaxNEON(&prices[0], &lengths[0], &distances[0], &costs[0], n, base, length, distance)
}

//go:noescape
func relaxNEON(prices, lengths, distances, costs *uint32, n int, base, length, distance uint32)
