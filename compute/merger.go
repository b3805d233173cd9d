package compute

import "context"

// A merger merges the segments of a tile in their order, regardless of the order in which they are
// completed.
type merger[T any] struct {
	total   []cells[T] // of each part; nil at first
	next    int
	pending map[int][]cells[T]
}

func (s *reducer[T]) merger(tile int64) *merger[T] {
	m := s.merging[tile]
	if m == nil {
		m = &merger[T]{pending: map[int][]cells[T]{}}
		s.merging[tile] = m
	}
	return m
}

// runDone merges a worker's segment in its turn, and passes on the tile if it is complete.
func (s *reducer[T]) runDone(ctx context.Context, worker, run int) error {
	w := &s.workers[worker]
	number, segment := s.tileOf(run)
	c := w.cells
	if !w.busy { // the run had no blocks, since another run covers its special chunk
		t := s.tile(number)
		c = s.takeCells(t.cells)
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
	err := s.tileDone(ctx, &t, m.total)
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
