package ndarray_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// TestPanicsOfStorageLeaveTheLastCommit makes each storage operation panic in turn. The handle can
// then be closed, no lock stays, and the array is as of the last commit.
func TestPanicsOfStorageLeaveTheLastCommit(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for at := 1; ; at++ {
			memory := storage.NewMemory()
			faults := &storagetest.Faults{FS: memory, FailAt: at, Reads: true, Panics: true}
			committed := 0
			var a ndarray.Array[int32]
			how := ended(func() { committed = panicProgram(t.Context(), faults, sparse, &a, &committed) })
			if how == nil {
				if at < 20 {
					t.Fatalf("it ended after %d operations", at)
				}
				break
			}
			if how != any(storagetest.ErrInjected) {
				t.Fatalf("operation %d: it ended with %v", at, how)
			}
			if a.Untyped != nil {
				if value := ended(func() { _ = a.Abort() }); value != nil {
					t.Fatalf("operation %d: Abort ended with %v", at, value)
				}
			}
			checkCommitted(t, at, memory, committed)
		}
	}
}

// panicProgram makes an array, and changes it in some commits. committed counts those that
// succeeded.
func panicProgram(ctx context.Context, fs storage.FS, sparse bool, a *ndarray.Array[int32], committed *int) int {
	var err error
	*a, err = ndarray.Create[int32]("a.b2nd", ndarray.Shape{20, 20}, &ndarray.Options{
		ChunkShape: ndarray.Shape{10, 10}, BlockShape: ndarray.Shape{5, 5}, Workers: 2, FS: fs, Sparse: sparse,
	})
	for k := int32(1); err == nil && k <= 3; k++ {
		err = errors.Join(a.Fill(ctx, k, ndarray.All), a.Set(k, 3, 3), a.Commit(ctx))
		if err == nil {
			*committed = int(k)
			_, err = a.Read(ctx)
		}
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		panic(err)
	}
	return *committed
}

// checkCommitted opens the array as a new process would, changes it and reads it.
func checkCommitted(t *testing.T, at int, memory storage.FS, committed int) {
	t.Helper()
	ctx := t.Context()
	a, err := ndarray.OpenAs[int32]("a.b2nd", &ndarray.OpenOptions{FS: memory, Mode: frame.ReadWrite, Sweep: true})
	if committed == 0 && err != nil {
		return // not even the first commit succeeded
	}
	if err != nil {
		t.Fatalf("operation %d: open: %v", at, err)
	}
	values, err := a.Read(ctx)
	if err != nil {
		t.Fatalf("operation %d: %v", at, err)
	}
	for _, v := range values {
		if v != values[0] || int(v) < committed || int(v) > committed+1 {
			t.Fatalf("operation %d: items are %d and %d after %d commits", at, values[0], v, committed)
		}
	}
	if err := errors.Join(a.Fill(ctx, 9, ndarray.All), a.Close()); err != nil {
		t.Fatalf("operation %d: change: %v", at, err)
	}
}
