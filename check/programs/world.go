package main

import (
	"errors"
	"fmt"
	"slices"
)

// A world is what the array of a program should be, by the dense model: as it is now, and as it was committed.
type world struct {
	now, committed *dense
	snapshots      []*dense
	inside         bool // of a doAtomically
}

func newWorld(p *program) *world {
	d := newDense(p)
	return &world{now: d, committed: d.clone()}
}

// A result is what a step gives: what was read, if it reads, or an error.
type result struct {
	shape []int64
	data  []byte
	err   error
}

var errFailed = errors.New("the transaction fails on purpose")

// apply does a step to the model.
func (w *world) apply(s *step) result {
	switch s.Do {
	case doAtomically:
		return w.atomically(s)
	case doCommit, doReopen, doCompact:
		w.committed = w.now.clone()
	case doRollback, doKill:
		w.now = w.committed.clone()
	case doSnapshot:
		w.snapshots = append(w.snapshots, w.now.clone())
	case doResize, doAppend, doInsert, doDelete, doConcat:
		return result{err: w.reshape(s)}
	case doCopy:
		if s.Chunks != nil && len(s.Chunks) != len(w.now.shape) {
			return result{err: errBounds}
		}
		w.committed = w.now.clone()
	default:
		return w.items(s)
	}
	return result{}
}

func (w *world) atomically(s *step) result {
	before := w.now.clone()
	w.inside = true
	defer func() { w.inside = false }()
	var err error
	for i := range s.Steps {
		if r := w.apply(&s.Steps[i]); r.err != nil {
			err = fmt.Errorf("step %d: %w", i, r.err)
			break
		}
	}
	if err == nil && s.Fail {
		err = errFailed
	}
	if err != nil {
		w.now = before
		return result{err: err}
	}
	w.committed = w.now.clone()
	return result{}
}

// lens returns the items that a step reads or writes.
func (w *world) lens(s *step) (lens, error) {
	switch s.Do {
	case doPoints, doScatter:
		return w.now.points(s.Points)
	case doMask, doPaint:
		return w.now.masked(s.mask(w.now.shape)), nil
	case doView, doThrough:
		return whole(w.now.shape).through(s.Lens)
	}
	return whole(w.now.shape).selectKey(s.Key)
}

func (w *world) items(s *step) result {
	l, err := w.lens(s)
	if err != nil {
		return result{err: err}
	}
	switch s.Do {
	case doRead, doPoints, doMask, doView:
		return result{shape: l.shape, data: w.now.get(l)}
	case doFill:
		w.now.set(l, noise(s.Seed, w.now.size))
	default:
		w.now.put(l, noise(s.Seed, len(l.at)*w.now.size))
	}
	return result{}
}

// reshape does what changes the shape.
func (w *world) reshape(s *step) error {
	d := w.now
	if s.Do == doResize {
		if len(s.Shape) != len(d.shape) {
			return errBounds
		}
		d.resize(s.Shape)
		return nil
	}
	if s.Axis >= len(d.shape) {
		return errBounds
	}
	n := d.shape[s.Axis]
	switch s.Do {
	case doDelete:
		if s.At < 0 || s.To < s.At || s.To > n {
			return errBounds
		}
		d.remove(s.Axis, s.At, s.To)
	case doInsert:
		if s.At < 0 || s.At > n {
			return errBounds
		}
		d.insert(s.Axis, s.At, s.To, noise(s.Seed, s.volume(d, s.To)))
	default:
		d.insert(s.Axis, n, s.At, noise(s.Seed, s.volume(d, s.At)))
		if s.Do == doConcat {
			w.committed = d.clone()
		}
	}
	return nil
}

// volume returns the bytes of n more items along the axis of a step.
func (s *step) volume(d *dense, n int64) int {
	return int(product(without(slices.Clone(d.shape), s.Axis))*n) * d.size
}

// mask returns a mask for all items of a shape.
func (s *step) mask(shape []int64) []bool {
	mask := make([]bool, product(shape))
	x := s.Seed*0x9e3779b97f4a7c15 + 77
	for i := range mask {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		mask[i] = int(x>>33%100) < s.Share
	}
	return mask
}
