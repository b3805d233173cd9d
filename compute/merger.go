package compute

// A merger puts the segments of a tile together, in their order, whatever the order in which they
// are complete.
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

// runDone merges what a worker accumulated with what comes before it, and delivers a tile that is
// complete.
func (s *sweep[T, C]) runDone(worker, run int) error {
	w := &s.workers[worker]
	number, segment := s.tileOf(run)
	c := w.cells
	if !w.busy { // a run of a special chunk of which another run has all
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

// advance merges the segments whose turn it is.
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

// take returns cells that are not in use.
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
