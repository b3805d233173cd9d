package chunked

import (
	"slices"
	"sync"

	"github.com/cairn-go/cairn/internal/grid"
)

// A loop is what tells programs that read box after box, such as all planes in turn, from those
// that read here and there: the box before.
type loop struct {
	mu    sync.Mutex
	start grid.Vec
	stop  grid.Vec
}

// A direction is where a loop goes.
type direction struct {
	axis int  // -1 if there is no loop
	back bool // towards 0
}

// next remembers a box, and returns the direction in which it follows the one before: next to it
// along one axis, and equal along all others. Who meets another goroutine here does not wait.
func (l *loop) next(start, stop []int64) direction {
	d := direction{axis: -1}
	if !l.mu.TryLock() {
		return d
	}
	defer l.mu.Unlock()

	n := len(start)
	was := l.start
	end := l.stop
	copy(l.start[:], start)
	copy(l.stop[:], stop)

	axis := 0
	for axis < n && start[axis] == was[axis] && stop[axis] == end[axis] {
		axis++
	}
	if axis == n || !slices.Equal(start[axis+1:], was[axis+1:n]) || !slices.Equal(stop[axis+1:], end[axis+1:n]) {
		return d
	}

	switch {
	case start[axis] == end[axis]:
		d.axis = axis
	case stop[axis] == was[axis]:
		d.axis = axis
		d.back = true
	}
	return d
}

// more reports whether the boxes to come need a chunk, of which this one needs a piece.
func (d direction) more(p *grid.Partition, j *Job) bool {
	if d.axis < 0 {
		return false
	}
	start, stop := j.Within()
	if d.back {
		return start[d.axis] > 0
	}
	return stop[d.axis] < p.Chunk[d.axis]
}
