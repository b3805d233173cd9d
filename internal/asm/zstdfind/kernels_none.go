//go:build purego || (!amd64 && !arm64)

package zstdfind

// Find finds the next matches; see findGeneric.
func (s *State) Find() { s.findGeneric() }

// Find finds the next matches; see findGeneric.
func (s *Double) Find() { s.findGeneric() }

// Longest finds the longest match at a position and adds the position; see longestGeneric.
func (r *Rows) Longest(at int) (length, distance int) { return r.longestGeneric(at, false) }

// Peek is Longest, but adds nothing.
func (r *Rows) Peek(at int) (length, distance int) { return r.longestGeneric(at, true) }

// Seek looks for a position worth a look; see seekGeneric.
func (r *Rows) Seek(s *Scan) bool { return r.seekGeneric(s) }

// Visit adds a position to the tree and finds its matches; see visitGeneric.
func (t *Tree) Visit(at int) { t.visitGeneric(at) }

// Relax offers matches of successive lengths; see relaxGeneric.
func (w *Ways) Relax(at int, costs []uint32, base, length, distance uint32) {
	w.relaxGeneric(at, costs, base, length, distance)
}
