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

// Longest returns the longest match at a position, which has four bytes behind it and is Next or later, and how far back that is: 3 and 0
// if there is none of four bytes or more. It adds the position and all those before that have not been.
func (r *Rows) Longest(at int) (length, distance int) {
	if cpu.AVX2 {
		return longestAVX2(r, at)
	}
	return r.longestGeneric(at)
}

//go:noescape
func longestAVX2(r *Rows, at int) (length, distance int)
