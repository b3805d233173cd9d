package zstdfind

import "math/bits"

const (
	// the step of a Scan grows by one after every 1<<calm bytes without a match
	calm = 7

	leapLog = 6
	leap    = 1 << leapLog // where its steps stop to grow
	haste   = 7
)

// A Scan is a search for the next position with a match. The caller sets the fields, all of them
// positions in [Rows.Src] but for the last three.
type Scan struct {
	At     int // next position to search, at least Next
	Until  int // where to stop, at least eight bytes before the end
	Anchor int // end of the last match
	Latest int // the latest distance, at least 1
	Least  int // what a match must gain
	Runs   bool

	Length, Distance int // what [Rows.Longest] found at At
}

// seekGeneric is the portable [Rows.Seek]. It searches from At on for a position with a match that
// gains more than Least bits, or that is followed by a match at the latest distance, or (if Runs is
// set) by an equal byte, and reports whether it found one. The gain is four bits for each byte,
// less the bits of the distance.
func (r *Rows) seekGeneric(s *Scan) bool {
	src := r.Src
	for s.At < s.Until {
		at := s.At
		n, distance := r.Longest(at)
		v := load32(src, at+1)
		if distance > 0 && 4*n-bits.Len32(uint32(distance)+3)+1 > s.Least ||
			at+1 >= s.Latest && v == load32(src, at+1-s.Latest) ||
			s.Runs && v == load32(src, at) {
			s.Length = n
			s.Distance = distance
			return true
		}
		s.At = r.Pass(s)
	}
	return false
}

// Pass returns the position to search after s.At if that has no match.
func (r *Rows) Pass(s *Scan) int {
	step := (s.At - s.Anchor) >> calm
	at := Next(s.At, step, leapLog)
	if step > haste {
		r.Next = at
	}
	return at
}
