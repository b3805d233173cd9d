//go:build purego || !amd64

package zstdfind

// Find replaces what is in Out by the next matches, until Out is full or the data ends.
func (s *State) Find() { s.findGeneric() }

// Longest returns the longest match at a position, which has four bytes behind it and is Next or
// later, and how far back that is: 3 and 0 if there is none of four bytes or more. It adds the
// position and all those before that have not been.
func (r *Rows) Longest(at int) (length, distance int) { return r.longestGeneric(at, false) }

// Peek is Longest, but adds nothing; the position may be any from Next on.
func (r *Rows) Peek(at int) (length, distance int) { return r.longestGeneric(at, true) }

// Visit adds a position, which has eight bytes behind it, and sets Found to the matches that it
// comes across, each longer than the one before. It looks at no more positions once one matches for
// Nice bytes, and compares no more than that.
func (t *Tree) Visit(at int) { t.visitGeneric(at) }

// Relax offers the positions from at on, one for each of costs, a match of the given length, and
// one more for each: it costs base more than costs says. All prices are below 1<<31.
func (w *Ways) Relax(at int, costs []uint32, base, length, distance uint32) {
	w.relaxGeneric(at, costs, base, length, distance)
}
