package grid

import (
	"slices"
	"sync"
)

// A Loop tells programs that read box after box, such as all planes in turn, from those that read
// here and there: it remembers the box before. Any number of goroutines may use it.
type Loop struct {
	mu    sync.Mutex
	start Vec
	stop  Vec
}

// A Direction is where a loop goes.
type Direction struct {
	axis int8 // plus one; 0 if there is no loop
	back bool // towards 0
}

// Goes reports whether there is a loop.
func (d Direction) Goes() bool { return d.axis > 0 }

// Next remembers a box, and returns the direction in which it follows the one before: next to it
// along one axis, and equal along all others. Who meets another goroutine here does not wait.
func (l *Loop) Next(start, stop []int64) (d Direction) {
	if !l.mu.TryLock() {
		return d
	}
	defer l.mu.Unlock()

	n := len(start)
	axis := 0
	for axis < n && start[axis] == l.start[axis] && stop[axis] == l.stop[axis] {
		axis++
	}
	if axis == n {
		return d
	}

	alike := slices.Equal(start[axis+1:], l.start[axis+1:n]) && slices.Equal(stop[axis+1:], l.stop[axis+1:n])
	switch {
	case alike && start[axis] == l.stop[axis]:
		d.axis = int8(axis + 1)
	case alike && stop[axis] == l.start[axis]:
		d.axis = int8(axis + 1)
		d.back = true
	}
	copy(l.start[axis:n], start[axis:])
	copy(l.stop[axis:n], stop[axis:])
	return d
}

// More reports whether the boxes to come need a chunk too, of which this one needs a piece.
func (d Direction) More(p *BoxPiece) bool {
	if d.axis == 0 {
		return false
	}
	i := d.axis - 1
	if d.back {
		return p.lo[i] > 0
	}
	return p.hi[i] < p.box.part.Chunk[i]
}

// MoreOf is More for a block of the chunk.
func (d Direction) MoreOf(p *BoxPiece, block int) bool {
	if d.axis == 0 {
		return false
	}

	part := p.box.part
	i := int(d.axis) - 1
	rest := int64(block)
	for k := part.Dims - 1; k > i; k-- {
		rest /= part.BlockGrid[k]
	}
	origin := rest % part.BlockGrid[i] * part.Block[i]
	if d.back {
		return p.lo[i] > origin
	}
	return p.hi[i] < origin+part.Block[i]
}
