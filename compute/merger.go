package compute

// A merger merges the segments of a tile in their order, regardless of the order in which they are
// completed.
type merger[C any] struct {
	started bool
	total   C
	next    int
	pending map[int]C
}

func (s *reducer[T, C]) merger(tile int64) *merger[C] {
	m := s.merging[tile]
	if m == nil {
		m = &merger[C]{pending: map[int]C{}}
		s.merging[tile] = m
	}
	return m
}

// runDone merges a worker's segment in its turn, and passes on the tile if it is complete.
func (s *reducer[T, C]) runDone(worker, run int) error {
	w := &s.workers[worker]
	number, segment := s.tileOf(run)
	c := w.cells
	if !w.busy { // the run had no blocks, since another run covers its special chunk
		c = s.takeCells()
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
	s.freeCells = append(s.freeCells, m.total)
	s.mu.Unlock()
	return err
}

// advance merges the segments whose predecessors have been merged.
func (s *reducer[T, C]) advance(m *merger[C]) {
	for {
		c, ok := m.pending[m.next]
		if !ok {
			return
		}
		delete(m.pending, m.next)
		m.next++
		if !m.started {
			m.total, m.started = c, true
			continue
		}
		m.total.merge(c)
		s.freeCells = append(s.freeCells, c)
	}
}

// takeCells returns unused cells.
func (s *reducer[T, C]) takeCells() C {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.freeCells); n > 0 {
		c := s.freeCells[n-1]
		s.freeCells = s.freeCells[:n-1]
		return c
	}
	return s.newCells()
}
