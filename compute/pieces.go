package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/ndarray"
)

// A divided pass can be run piece by piece. A piece is a chunk if all dimensions are reduced,
// otherwise a segment of a tile.
type divided interface {
	blank(ctx context.Context) ([]*ndarray.Untyped, error) // results with zeros
	pieces() int64
	bytes() int64 // of the items
	// recordBytes returns how many bytes of accumulators some successive pieces have.
	recordBytes(from, to int64) int64
	// reduce appends the accumulators of some successive pieces to b.
	reduce(ctx context.Context, b []byte, from, to int64) ([]byte, error)
	// merge returns the results of all accumulators, which it takes in the order of pieces. take
	// returns those of some successive pieces from number from on.
	merge(ctx context.Context, take func(from int64) (to int64, b []byte, err error)) ([]*ndarray.Untyped, error)
	// whole returns the number of pieces that make a part of the results, beginning with any
	// multiple of that number.
	whole() int64
	geometry() string
}

func (p *passOf[T]) blank(ctx context.Context) ([]*ndarray.Untyped, error) {
	return p.collect(ctx, func(*reducer[T]) error { return nil })
}

// perPiece returns the number of runs of a piece.
func (s *tiling) perPiece() int64 {
	if s.all {
		return s.chunkRuns
	}
	return 1
}

func (p *passOf[T]) pieces() int64 { return p.tiling.tiles * p.tiling.segments / p.tiling.perPiece() }

func (p *passOf[T]) whole() int64 { return max(1, p.tiling.segments/p.tiling.perPiece()) }

func (p *passOf[T]) bytes() int64 {
	return itemsOf(p.tiling.shape) * int64(p.settings[0].dtype.Size())
}

func (p *passOf[T]) geometry() string {
	t := &p.tiling
	text := fmt.Sprint(p.settings[0].dtype, t.shape, t.chunk, t.reduced, t.chunkRuns, t.tiles, t.segments)
	if t.grouped() {
		for _, g := range t.groups {
			text += fmt.Sprint(" ", g.digest())
		}
	}
	return text
}

// part returns the tiling for some pieces.
func (s tiling) part(from, to int64) tiling {
	s.first = from * s.perPiece()
	s.last = to * s.perPiece()
	return s
}

// stretches calls do with the stretches of some pieces in order.
func (s *tiling) stretches(do func(g stretch) error) error {
	for run := s.first; run < s.last; {
		g := s.stretchOf(run)
		if err := do(g); err != nil {
			return err
		}
		run += g.count
	}
	return nil
}

// width returns the bytes of accumulators per cell.
func (s *reducer[T]) width() (n int64) {
	for _, part := range s.parts {
		n += int64(part.newCells().width())
	}
	return n
}

func (p *passOf[T]) recordBytes(from, to int64) (n int64) {
	part := p.tiling.part(from, to)
	width := p.reducer().width()
	if part.all { // one cell for each stretch
		count := part.last - part.first
		if part.first == 0 {
			count = min(1, count)
		}
		return count * width
	}

	_ = part.stretches(func(g stretch) error {
		n += width * part.cellsOf(g.first/part.segments)
		return nil
	})
	return n
}

// cellsOf returns the number of cells of a tile.
func (s *tiling) cellsOf(n int64) int64 {
	cells := int64(1)
	for i := len(s.shape) - 1; i >= 0; i-- {
		switch g := s.groups[i]; {
		case g != nil:
			part := g.parts[n%s.grid[i]]
			cells *= int64(part.stop - part.first)
		case s.reduced[i]:
			continue
		default:
			at := n % s.grid[i] * s.chunk[i]
			cells *= min(s.chunk[i], s.shape[i]-at)
		}
		n /= s.grid[i]
	}
	return cells
}

func (p *passOf[T]) reduce(ctx context.Context, b []byte, from, to int64) ([]byte, error) {
	s := p.reducer()
	s.tiling = p.tiling.part(from, to)
	width := s.width()
	at := int64(len(b))

	places := map[int64]int64{} // by the first runs of stretches
	_ = s.stretches(func(g stretch) error {
		places[g.first] = at
		at += width * s.cellsOf(g.first/s.segments)
		return nil
	})

	b = slices.Grow(b, int(at)-len(b))[:at]
	s.stretchDone = func(_ context.Context, g stretch, total []cells[T]) error {
		record := b[places[g.first]:][:0] // stretches do not overlap, so they need no lock
		for _, c := range total {
			record = c.encode(record)
		}
		return nil
	}

	if err := s.visit(ctx, p.in, p.workers, s.first, s.last); err != nil {
		return nil, err
	}
	return b, nil
}

func (p *passOf[T]) merge(ctx context.Context, take func(from int64) (to int64, b []byte, err error)) (
	[]*ndarray.Untyped, error) {
	return p.collect(ctx, func(s *reducer[T]) error {
		if s.perTile == 0 {
			return s.empty(ctx)
		}

		m := &mergingTiles[T]{s: s}
		for at, pieces := int64(0), p.pieces(); at < pieces; {
			to, b, err := take(at)
			if err != nil {
				return err
			}

			if err = m.add(ctx, p.tiling.part(at, to), b); err != nil {
				return err
			}
			at = to
		}
		return nil
	})
}

// mergingTiles merges the records of stretches tile by tile.
type mergingTiles[T any] struct {
	s     *reducer[T]
	total []cells[T] // of the current tile, or nil
}

// add merges the records of some pieces.
func (m *mergingTiles[T]) add(ctx context.Context, part tiling, b []byte) error {
	return part.stretches(func(g stretch) error {
		t := m.s.tile(g.first / part.segments)
		next := m.s.takeCells(t.cells)
		for _, c := range next {
			n := c.width() * t.cells
			if err := c.decode(b[:n]); err != nil {
				return err
			}
			b = b[n:]
		}

		if m.total == nil {
			m.total = next
		} else {
			for i, c := range m.total {
				c.merge(next[i])
			}
			m.s.freeCells = append(m.s.freeCells, next)
		}

		if (g.first+g.count)%part.segments > 0 {
			return nil
		}

		done := m.total
		m.total = nil
		defer func() { m.s.freeCells = append(m.s.freeCells, done) }()
		return m.s.tileDone(ctx, &t, done)
	})
}
