//go:build purego || !amd64

package zstdfind

// Find replaces what is in Out by the next matches, until Out is full or the data ends.
func (s *State) Find() { s.findGeneric() }

// Longest returns the longest match at a position, which has four bytes behind it and is Next or later, and how far back that is: 3 and 0
// if there is none of four bytes or more. It adds the position and all those before that have not been.
func (r *Rows) Longest(at int) (length, distance int) { return r.longestGeneric(at) }
