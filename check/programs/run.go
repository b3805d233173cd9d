package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

// A difference is the first step at which an array differs from the model.
type difference struct {
	step int // -1: before the first, len(Steps): after the last
	text string
}

// run runs a program on the model and on an array, and returns the first difference, or nil. It
// appends results of reads to reads, unless that is nil. If the program stores the array on disk,
// run leaves it in dir and returns its path.
func run(p *program, dir string, reads *[]result) (path string, d *difference) {
	at := -1
	defer func() {
		if r := recover(); r != nil {
			d = &difference{at, fmt.Sprintf("panic: %v\n%s", r, debug.Stack())}
		}
	}()

	w := newWorld(p)
	s, err := newSubject(p, dir)
	if err != nil {
		return "", &difference{-1, err.Error()}
	}
	defer s.close()

	for i := range p.Steps {
		at = i
		want := w.apply(&p.Steps[i])
		got := s.apply(&p.Steps[i])
		if text := compare(got, want); text != "" {
			return "", &difference{i, text}
		}
		if reads != nil && want.data != nil {
			*reads = append(*reads, want)
		}
		if text := s.compareAll(w); text != "" {
			return "", &difference{i, "after the step: " + text}
		}
	}

	at = len(p.Steps)
	if err := s.reopen(); err != nil {
		return "", &difference{at, "opened again: " + err.Error()}
	}
	if text := s.compareState(s.u, w.now); text != "" {
		return "", &difference{at, "opened again: " + text}
	}
	return s.path, nil
}

// compare returns how the result of a step differs from the model's.
func compare(got, want result) string {
	switch {
	case want.err != nil && got.err == nil:
		return fmt.Sprintf("no error, want one: %v", want.err)
	case errors.Is(want.err, errFailed) && !errors.Is(got.err, errFailed):
		return fmt.Sprintf("error %v, want that of the function", got.err)
	case want.err != nil:
		return ""
	case got.err != nil:
		return got.err.Error()
	case want.data == nil:
		return ""
	case !slices.Equal(got.shape, want.shape):
		return fmt.Sprintf("shape %v, want %v", got.shape, want.shape)
	case !bytes.Equal(got.data, want.data):
		return dense.Differ(got.data, want.data)
	}
	return ""
}

// compareAll compares the array and its snapshots.
func (s *subject) compareAll(w *world) string {
	if text := s.compareState(s.u, w.now); text != "" {
		return text
	}
	w.snapshots = w.snapshots[len(w.snapshots)-len(s.snapshots):]
	for i, u := range s.snapshots {
		if text := s.compareState(u, w.snapshots[i]); text != "" {
			return fmt.Sprintf("snapshot %d: %s", i, text)
		}
	}
	return ""
}

func (s *subject) compareState(u *ndarray.Untyped, want *dense.Array) string {
	got, err := readAll(u)
	return compare(result{shape: u.Shape(), data: got, err: err}, result{shape: want.Shape, data: want.Data})
}

// legal reports whether the model can run a program. A shrunk program may be invalid.
func legal(p *program) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	w := newWorld(p)
	for i := range p.Steps {
		w.apply(&p.Steps[i])
	}
	return true
}

// scratch calls run with a temporary directory.
func scratch(p *program) *difference {
	dir, err := os.MkdirTemp("", "cairn-programs-*")
	if err != nil {
		return &difference{-1, err.Error()}
	}
	defer os.RemoveAll(dir)
	_, d := run(p, dir, nil)
	return d
}
