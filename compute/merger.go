package compute

import "context"

// A merger merges the segments of a stretch in their order, regardless of the order in which they
// are completed.
type merger[T any] struct {
	total   []cells[T] // of each part; nil at first
	next    int64
	pending map[int64][]cells[T]
}

func (s *reducer[T]) merger(g stretch) *merger[T] {
	m := s.merging[g.first]
	if m == nil {
		m = &merger[T]{next: g.first, pending: map[int64][]cells[T]{}}
		s.merging[g.first] = m
	}
	return m
}

// runDone merges a worker's segment in its turn, and passes on the stretch if it is complete.
func (s *reducer[T]) runDone(ctx context.Context, worker int, run int64) error {
	w := &s.workers[worker]
	g := s.stretchOf(run)
	c := w.cells
	if !w.busy { // the run had no blocks, since another run covers its special chunk
		t := s.tile(run / s.segments)
		c = s.takeCells(t.cells)
	}
	w.busy = false

	s.mu.Lock()
	m := s.merger(g)
	m.pending[run] = c
	s.advance(m)

	complete := m.next == g.first+g.count
	if complete {
		delete(s.merging, g.first)
	}
	s.mu.Unlock()

	if !complete {
		return nil
	}

	err := s.stretchDone(ctx, g, m.total)
	s.mu.Lock()
	s.freeCells = append(s.freeCells, m.total)
	s.mu.Unlock()
	return err
}

// advance merges the segments whose predecessors have been merged.
func (s *reducer[T]) advance(m *merger[T]) {
	for {
		c, ok := m.pending[m.next]
		if !ok {
			return
		}
		delete(m.pending, m.next)
		m.next++

		if m.total == nil {
			m.total = c
			continue
		}

		for i, total := range m.total {
			total.merge(c[i])
		}
		s.freeCells = append(s.freeCells, c)
	}
}

// takeCells returns n cells for each part, without items.
func (s *reducer[T]) takeCells(n int) []cells[T] {
	all := s.unusedCells()
	for _, c := range all {
		c.reset(n)
	}
	return all
}

func (s *reducer[T]) unusedCells() []cells[T] {
	s.mu.Lock()
	defer s.mu.Unlock()

	if n := len(s.freeCells); n > 0 {
		all := s.freeCells[n-1]
		s.freeCells = s.freeCells[:n-1]
		return all
	}

	all := make([]cells[T], len(s.parts))
	for i, p := range s.parts {
		all[i] = p.newCells()
	}
	return all
}
