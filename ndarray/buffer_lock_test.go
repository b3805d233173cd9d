package ndarray

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// TestPendingWritesKeepTheLock checks that another handle waits for the commit of writes that are
// still pending.
func TestPendingWritesKeepTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		fsys := storage.NewMemory()
		handles := sharedArrays(t, fsys, false, 1)
		a, err := OpenAs[int64]("a", &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: true, WriteBehind: 1 << 20})
		check(t, err)
		b := handles[0]
		for _, end := range []func() error{
			func() error { return a.Commit(ctx) },
			func() error { return a.Rollback() },
			func() error {
				return errors.Join(a.Untyped.Lock(ctx), a.Commit(ctx), a.Set(6, 2, 2), a.Untyped.Unlock(), a.Rollback())
			},
		} {
			check(t, a.Set(5, 1, 1), a.Set(6, 1, 2))
			brief, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			err := b.Untyped.Lock(brief)
			cancel()
			if !errors.Is(err, cairn.ErrLocked) {
				t.Fatalf("another one got the lock: %v", err)
			}
			check(t, end(), b.Untyped.Lock(ctx), b.Untyped.Unlock())
		}
		check(t, a.Close(), b.Close())
	})
}

// TestCloseDoesNotCommitIfTheFlushFails checks that Close commits no part of a transaction if the
// flush fails.
func TestCloseDoesNotCommitIfTheFlushFails(t *testing.T) {
	ctx := t.Context()
	fsys := &storagetest.Faults{FS: storage.NewMemory()}
	a, err := Create[int32]("a", Shape{4, 4}, &Options{ChunkShape: Shape{2, 4}, FS: fsys, WriteBehind: 1 << 20})
	check(t, err)
	check(t, a.Commit(ctx), a.Write(ctx, []int32{1, 2, 3, 4, 5, 6, 7, 8}, Range(0, 2)), a.Set(9, 3, 3))
	fsys.FailAt, fsys.Persistent, fsys.Err = fsys.Count()+1, true, syscall.ENOSPC
	if err := a.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	fsys.FailAt = 0
	b, err := OpenAs[int32]("a", &OpenOptions{FS: fsys})
	check(t, err)
	if got, err := b.Read(ctx); err != nil || slices.Max(got) != 0 {
		t.Fatal(got, err)
	}
	check(t, b.Close())
}
