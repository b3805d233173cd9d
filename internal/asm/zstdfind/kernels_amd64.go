//go:build !purego

package zstdfind

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Find finds the next matches; see findGeneric.
func (s *State) Find() {
	if cpu.AVX2 {
		findAVX2(s)
		return
	}
	s.findGeneric()
}

//go:noescape
func findAVX2(s *State)

// Find finds the next matches; see findGeneric.
func (s *Double) Find() {
	if cpu.AVX2 {
		doubleAVX2(s)
		return
	}
	s.findGeneric()
}

//go:noescape
func doubleAVX2(s *Double)

// Longest finds the longest match at a position and adds the position; see longestGeneric.
func (r *Rows) Longest(at int) (length, distance int) {
	if cpu.AVX2 {
		return longestAVX2(r, at, false)
	}
	return r.longestGeneric(at, false)
}

// Peek is Longest, but adds nothing.
func (r *Rows) Peek(at int) (length, distance int) {
	if cpu.AVX2 {
		return longestAVX2(r, at, true)
	}
	return r.longestGeneric(at, true)
}

//go:noescape
func longestAVX2(r *Rows, at int, peek bool) (length, distance int)

// Seek looks for a position worth a look; see seekGeneric.
func (r *Rows) Seek(s *Scan) bool {
	if cpu.AVX2 {
		return seekAVX2(r, s)
	}
	return r.seekGeneric(s)
}

//go:noescape
func seekAVX2(r *Rows, s *Scan) bool

// Visit adds a position to the tree and finds its matches; see visitGeneric.
func (t *Tree) Visit(at int) {
	if cpu.AVX2 {
		visitAVX2(t, at)
		return
	}
	t.visitGeneric(at)
}

//go:noescape
func visitAVX2(t *Tree, at int)

// Relax offers matches of successive lengths; see relaxGeneric.
func (w *Ways) Relax(at int, costs []uint32, base, length, distance uint32) {
	n := len(costs)
	if !cpu.AVX2 || n == 0 {
		w.relaxGeneric(at, costs, base, length, distance)
		return
	}

	prices := w.Price[at:][:n]
	lengths := w.Length[at:][:n]
	distances := w.Distance[at:][:n]
	relaxAVX2(&prices[0], &lengths[0], &distances[0], &costs[0], n, base, length, distance)
}

//go:noescape
func relaxAVX2(prices, lengths, distances, costs *uint32, n int, base, length, distance uint32)
