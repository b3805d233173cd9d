package job

import (
	"context"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// TestWorkerKeepsInputsOpen runs the tasks of a job backwards, each twice, with inputs that are
// opened once.
func TestWorkerKeepsInputsOpen(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd", TaskBytes: 4000})
	opened, closed := 0, 0
	open := func(ctx context.Context, path string) (ndarray.Source, func() error, error) {
		src, end, err := Arrays(s.fs)(ctx, path)
		opened++
		return src, func() error { closed++; return end() }, err
	}
	w, err := j.NewWorker(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	for task := j.plan.Tasks - 1; task >= 0; task-- {
		for range 2 {
			if err := w.Run(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, task := range []int64{-1, j.plan.Tasks} {
		if err := w.Run(t.Context(), task); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("task %d: %v", task, err)
		}
	}
	s.seal(j, "")
	if err := w.Run(t.Context(), 0); err != nil {
		t.Errorf("a task of a sealed job: %v", err)
	}
	if err := w.Close(); err != nil || opened != 1 || closed != 1 {
		t.Errorf("%v: %d opened, %d closed", err, opened, closed)
	}
	s.sameChunks("out.b2nd", "a.b2nd")
}

func TestWorkerOfCancelledJob(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd"})
	w, err := j.NewWorker(t.Context(), Arrays(s.fs))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := j.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(t.Context(), 0); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("a task of a cancelled job: %v", err)
	}
}
