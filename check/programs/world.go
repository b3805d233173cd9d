package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/internal/test/dense"
)

// A world is the expected array of a program, as dense model: the current and the committed one.
type world struct {
	now, committed *dense.Array
	snapshots      []*dense.Array
	inside         bool // inside of a doAtomically
}

func newWorld(p *program) *world {
	d := dense.New(p.Shape, p.Size, p.Fill)
	return &world{now: d, committed: d.Clone()}
}

// A result is the result of a step: the items read, if any, or an error.
type result struct {
	shape []int64
	data  []byte
	err   error
}

var errFailed = errors.New("the transaction fails on purpose")

// apply applies a step to the model.
func (w *world) apply(s *step) result {
	switch s.Do {
	case doAtomically:
		return w.atomically(s)
	case doCommit, doReopen, doCompact:
		w.committed = w.now.Clone()
	case doRollback, doKill:
		w.now = w.committed.Clone()
	case doSnapshot:
		w.snapshots = append(w.snapshots, w.now.Clone())
	case doResize, doAppend, doInsert, doDelete, doConcat:
		return result{err: w.reshape(s)}
	case doCopy:
		if s.Chunks != nil && len(s.Chunks) != len(w.now.Shape) {
			return result{err: errBounds}
		}
		w.committed = w.now.Clone()
	default:
		l, err := w.lens(s)
		if err != nil {
			return result{err: err}
		}
		switch s.Do {
		case doRead, doPoints, doMask, doView:
			return result{shape: l.shape, data: l.get(w.now)}
		case doFill:
			l.put(w.now, slices.Repeat(noise(s.Seed, w.now.Size), len(l.at)))
		default:
			l.put(w.now, noise(s.Seed, len(l.at)*w.now.Size))
		}
		return result{}
	}

	return result{}
}

func (w *world) atomically(s *step) result {
	before := w.now.Clone()
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
	w.committed = w.now.Clone()
	return result{}
}

// lens returns the items that a step reads or writes.
func (w *world) lens(s *step) (lens, error) {
	switch s.Do {
	case doPoints, doScatter:
		return points(w.now.Shape, s.Points)
	case doMask, doPaint:
		return masked(s.mask(w.now.Shape)), nil
	case doView, doThrough:
		return whole(w.now.Shape).through(s.Lens)
	}
	return whole(w.now.Shape).selectKey(s.Key)
}

// reshape applies a step that changes the shape.
func (w *world) reshape(s *step) error {
	d := w.now
	if s.Do == doResize {
		if len(s.Shape) != len(d.Shape) {
			return errBounds
		}
		d.Resize(s.Shape)
		return nil
	}

	if s.Axis >= len(d.Shape) {
		return errBounds
	}

	n := d.Shape[s.Axis]
	switch s.Do {
	case doDelete:
		if s.At < 0 || s.To < s.At || s.To > n {
			return errBounds
		}
		d.Delete(s.Axis, s.At, s.To)
	case doInsert:
		if s.At < 0 || s.At > n {
			return errBounds
		}
		d.Insert(s.Axis, s.At, s.To, noise(s.Seed, s.volume(d, s.To)))
	default:
		d.Insert(s.Axis, n, s.At, noise(s.Seed, s.volume(d, s.At)))
		if s.Do == doConcat {
			w.committed = d.Clone()
		}
	}
	return nil
}

// volume returns the size in bytes of n more items along the axis of a step.
func (s *step) volume(d *dense.Array, n int64) int {
	return int(dense.Volume(without(slices.Clone(d.Shape), s.Axis))*n) * d.Size
}

// mask returns a mask for all items of a shape.
func (s *step) mask(shape []int64) []bool {
	mask := make([]bool, dense.Volume(shape))
	x := s.Seed*0x9e3779b97f4a7c15 + 77
	for i := range mask {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		mask[i] = int(x>>33%100) < s.Share
	}
	return mask
}
