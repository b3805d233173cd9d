package ndarray

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// TestCloseAfterAFailedChangeCommitsNoHalf changes an array, lets another change fail, and closes
// it as a program does that only defers Close.
func TestCloseAfterAFailedChangeCommitsNoHalf(t *testing.T) {
	ctx, reason := t.Context(), errors.New("a reason")
	gone, cancel := context.WithCancel(ctx)
	cancel()
	few := make([]int32, 3)
	for what, fail := range map[string]func(a Array[int32]) error{
		"length":      func(a Array[int32]) error { return a.Write(ctx, few) },
		"coordinates": func(a Array[int32]) error { return a.Set(1, 9, 9) },
		"context":     func(a Array[int32]) error { return a.Fill(gone, 1) },
		"append":      func(a Array[int32]) error { return a.Append(ctx, 0, few) },
		"resize":      func(a Array[int32]) error { return a.Resize(ctx, Shape{1}, nil) },
		"delete":      func(a Array[int32]) error { return a.Delete(ctx, 5, 0, 1) },
		"points":      func(a Array[int32]) error { return a.WritePoints(ctx, few, []int64{1}) },
		"view":        func(a Array[int32]) error { return a.Slice(Index(0)).Write(ctx, few) },
		"value":       func(a Array[int32]) error { return a.Untyped.Fill(ctx, "text") },
		"labels":      func(a Array[int32]) error { return a.SetLabels(Labels{Dims: []string{"x"}}) },
		"transaction": func(a Array[int32]) error { return a.Atomically(ctx, func() error { return reason }) },
		"chunk":       func(a Array[int32]) error { return a.Frame().Update(ctx, 99, nil) },
	} {
		for _, sparse := range []bool{false, true} {
			fsys := storage.NewMemory()
			a, err := Create[int32]("a", Shape{2, 5}, &Options{FS: fsys, Sparse: sparse})
			check(t, err, a.Fill(ctx, 1))
			first := fail(a)
			if first == nil {
				t.Fatalf("%s: no error", what)
			}
			check(t, a.Fill(ctx, 2, Index(0)))
			if err := a.Close(); !errors.Is(err, first) {
				t.Errorf("%s: Close: %v, want %v", what, err, first)
			}
			if _, err := Open("a", &OpenOptions{FS: fsys}); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: a half is there: %v", what, err)
			}

			a, err = Create[int32]("a", Shape{2, 5}, &Options{FS: fsys, Sparse: sparse})
			check(t, err, a.Fill(ctx, 1), a.Commit(ctx), a.Fill(ctx, 2))
			if fail(a) == nil || a.Close() == nil {
				t.Errorf("%s: no error", what)
			}
			a, err = OpenAs[int32]("a", &OpenOptions{FS: fsys, Mode: ReadWrite})
			check(t, err)
			if got, err := a.Read(ctx); err != nil || !slices.Equal(got, slices.Repeat([]int32{1}, 10)) {
				t.Errorf("%s: %v, %v, want what was committed", what, got, err)
			}

			// Commit and Rollback settle what a failure has left open.
			check(t, a.Fill(ctx, 3))
			_ = fail(a)
			check(t, a.Commit(ctx))
			_ = fail(a)
			check(t, a.Rollback(), a.Fill(ctx, 4), a.Close())
			a, err = OpenAs[int32]("a", &OpenOptions{FS: fsys})
			check(t, err)
			if got, err := a.Read(ctx); err != nil || !slices.Equal(got, slices.Repeat([]int32{4}, 10)) {
				t.Errorf("%s: %v, %v", what, got, err)
			}
			check(t, a.Close())
		}
	}
}

// TestFailuresThatLeaveNothingHalfDone closes arrays without an error: nothing is staged, what does
// not exist was deleted, or nothing will be stored.
func TestFailuresThatLeaveNothingHalfDone(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a.b2nd")
	a, err := Create[int32](path, Shape{4}, nil)
	check(t, err, a.Fill(ctx, 1), a.Commit(ctx))
	if err := a.Set(1, 9); !errors.Is(err, cairn.ErrBounds) {
		t.Error(err)
	}
	check(t, a.Close())

	a, err = OpenAs[int32](path, &OpenOptions{Mode: ReadWrite})
	check(t, err, a.Fill(ctx, 2))
	if err := a.Frame().DeleteVL("nothing"); !errors.Is(err, cairn.ErrNotFound) {
		t.Error(err)
	}
	check(t, a.Close())

	a, err = New[int32](Shape{4}, nil)
	check(t, err)
	if err := a.Set(1, 9); !errors.Is(err, cairn.ErrBounds) {
		t.Error(err)
	}
	check(t, a.Close())
}
