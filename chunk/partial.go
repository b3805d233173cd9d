package chunk

// spanSink takes the part of a chunk's bytes that lies in [lo, hi), into one piece of memory.
type spanSink struct {
	dst    []byte
	lo, hi int
	layout Layout
}

// Dst places a block that lies in the span as a whole.
func (s *spanSink) Dst(index, size int) []byte {
	from, to := s.layout.Block(index)
	if from < s.lo || to > s.hi {
		return nil
	}
	return s.dst[from-s.lo:][:size]
}

// Put takes a block of which only a part lies in the span.
func (s *spanSink) Put(index int, data []byte) {
	from, to := s.layout.Block(index)
	lo, hi := max(from, s.lo), min(to, s.hi)
	copy(s.dst[lo-s.lo:], data[lo-from:hi-from])
}
