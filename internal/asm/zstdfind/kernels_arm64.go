//go:build !purego

package zstdfind

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Find finds the next matches; see findGeneric.
func (s *State) Find() {
	if cpu.NEON {
		findNEON(s)
		return
	}
	s.findGeneric()
}

//go:noescape
func findNEON(s *State)

// Find finds the next matches; see findGeneric.
func (s *Double) Find() { s.findGeneric() }

// Longest finds the longest match at a position and adds the position; see longestGeneric.
func (r *Rows) Longest(at int) (length, distance int) {
	if cpu.NEON {
		return longestNEON(r, at, false)
	}
	return r.longestGeneric(at, false)
}

// Peek is Longest, but adds nothing.
func (r *Rows) Peek(at int) (length, distance int) {
	if cpu.NEON {
		return longestNEON(r, at, true)
	}
	return r.longestGeneric(at, true)
}

//go:noescape
func longestNEON(r *Rows, at int, peek bool) (length, distance int)

// Seek looks for a position worth a look; see seekGeneric.
func (r *Rows) Seek(s *Scan) bool { return r.seekGeneric(s) }

// Visit adds a position to the tree and finds its matches; see visitGeneric.
func (t *Tree) Visit(at int) {
	if cpu.NEON {
		visitNEON(t, at)
		return
	}
	t.visitGeneric(at)
}

//go:noescape
func visitNEON(t *Tree, at int)

// Relax offers matches of successive lengths; see relaxGeneric.
func (w *Ways) Relax(at int, costs []uint32, base, length, distance uint32) {
	n := len(costs)
	if !cpu.NEON || n == 0 {
		w.relaxGeneric(at, costs, base, length, distance)
		return
	}

	prices := w.Price[at:][:n]
	lengths := w.Length[at:][:n]
	distances := w.Distance[at:][:n]
	relaxNEON(&prices[0], &lengths[0], &distances[0], &costs[0], n, base, length, distance)
}

//go:noescape
func relaxNEON(prices, lengths, distances, costs *uint32, n int, base, length, distance uint32)
