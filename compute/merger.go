package compute

// A merger merges the segments of a tile in their order, regardless of the order in which they are
// completed.
type merger[C any] struct {
	begun   bool
	total   C
	next    int
	pending map[int]C
}

func (s *sweep[T, C]) merger(tile int64) *merger[C] {
	m := s.merging[tile]
	if m == nil {
		m = &merger[C]{pending: map[int]C{}}
		s.merging[tile] = m
	}
	return m
}

// runDone merges a worker's segment in its turn, and passes on the tile if it is complete.
func (s *sweep[T, C]) runDone(worker, run int) error {
	w := &s.workers[worker]
	number, segment := s.tileOf(run)
	c := w.cells
	if !w.busy { // the run had no blocks, since another run covers its special chunk
		c = s.take()
		t := s.tile(number)
		c.reset(t.cells)
	}
	w.busy = false
	s.mu.Lock()
	m := s.merger(number)
	m.pending[segment] = c
	s.advance(m)
	complete := s.segments > 0 && int64(m.next) == s.segments
	if complete {
		delete(s.merging, number)
	}
	s.mu.Unlock()
	if !complete {
		return nil
	}
	t := s.tile(number)
	err := s.tileDone(&t, m.total)
	s.mu.Lock()
	s.free = append(s.free, m.total)
	s.mu.Unlock()
	return err
}

// advance merges the segments whose predecessors have been merged.
func (s *sweep[T, C]) advance(m *merger[C]) {
	for {
		c, ok := m.pending[m.next]
		if !ok {
			return
		}
		delete(m.pending, m.next)
		m.next++
		if !m.begun {
			m.total, m.begun = c, true
			continue
		}
		m.total.merge(c)
		s.free = append(s.free, c)
	}
}

// take returns unused cells.
func (s *sweep[T, C]) take() C {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return c
	}
	return s.newCells()
}
