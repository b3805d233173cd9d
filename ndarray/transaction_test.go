package ndarray

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

func TestRollbackBeforeTheFirstCommitKeepsTheFill(t *testing.T) {
	ctx := t.Context()
	for _, sparse := range []bool{false, true} {
		fsys := storage.NewMemory()
		a, err := Create[int32]("a", Shape{10, 10}, &Options{ChunkShape: Shape{4, 4}, Fill: 3, Sparse: sparse, FS: fsys})
		check(t, err)
		fill := slices.Repeat([]int32{3}, 100)
		check(t, a.Fill(ctx, 9, Range(2, 7)), a.Untyped.Frame().SetVL("v", []byte("x")), a.Rollback())
		if got, err := a.Read(ctx); err != nil || !slices.Equal(got, fill) || len(a.Untyped.Frame().VLNames()) != 0 {
			t.Fatalf("sparse=%v: %v, %v", sparse, got, err)
		}
		check(t, a.Rollback(), a.Set(1, 0, 0), a.Commit(ctx), a.Fill(ctx, 8), a.Rollback(), a.Close())
		fill[0] = 1
		a, err = OpenAs[int32]("a", &OpenOptions{FS: fsys, Mode: ReadWrite})
		check(t, err)
		check(t, a.Fill(ctx, 8), a.Rollback())
		if got, err := a.Read(ctx); err != nil || !slices.Equal(got, fill) {
			t.Fatalf("sparse=%v: %v, %v", sparse, got, err)
		}
		check(t, a.Close())
	}
}

func TestAtomicallyGroupsWritesAndMetalayers(t *testing.T) {
	ctx := t.Context()
	failure := errors.New("no")
	for _, fresh := range []bool{false, true} {
		fsys := storage.NewMemory()
		a, err := Create[int32]("a", Shape{8, 8}, &Options{ChunkShape: Shape{4, 4}, FS: fsys})
		check(t, err)
		if !fresh {
			check(t, a.Commit(ctx))
		}
		check(t, a.Set(1, 0, 0)) // staged before, so it stays
		change := func() error {
			return errors.Join(a.Fill(ctx, 2, Range(1, 6)), a.Untyped.Frame().SetVL("v", []byte("x")), a.Set(3, 7, 7))
		}
		err = a.Atomically(ctx, func() error {
			if err := errors.Join(a.Rollback(), a.Commit(ctx)); !errors.Is(err, cairn.ErrConflict) {
				t.Errorf("inside: %v", err)
			}
			return errors.Join(change(), failure)
		})
		got, readErr := a.Read(ctx)
		want := make([]int32, 64)
		want[0] = 1
		if !errors.Is(err, failure) || readErr != nil || !slices.Equal(got, want) || len(a.Untyped.Frame().VLNames()) != 0 {
			t.Fatalf("fresh=%v: %v, %v, %v", fresh, err, got, readErr)
		}
		check(t, a.Atomically(ctx, change), a.Abort())
		b, err := OpenAs[int32]("a", &OpenOptions{FS: fsys})
		check(t, err)
		got, err = b.Read(ctx)
		if err != nil || got[0] != 1 || got[8] != 2 || got[63] != 3 || len(b.Untyped.Frame().VLNames()) != 1 {
			t.Fatalf("fresh=%v: %v, %v", fresh, got, err)
		}
		if err := b.Atomically(ctx, change); !errors.Is(err, cairn.ErrReadOnly) {
			t.Fatal(err)
		}
		check(t, b.Close())
	}
}

// TestWritesThatStorageFailsAreUndone makes storage fail for good at each operation of a write
// of several chunks, after some writes that succeeded.
func TestWritesThatStorageFailsAreUndone(t *testing.T) {
	ctx := t.Context()
	for _, sparse := range []bool{false, true} {
		failed := 0
		for at := 1; at < 60; at++ {
			fsys := &storagetest.Faults{FS: storage.NewMemory()}
			a, err := Create[int32]("a", Shape{9, 9}, &Options{ChunkShape: Shape{3, 9}, BlockShape: Shape{3, 9}, Sparse: sparse, FS: fsys, Workers: 1})
			check(t, err)
			before := slices.Repeat([]int32{4, 7, 9}, 27)
			check(t, a.Write(ctx, before), a.Commit(ctx))
			check(t, a.Set(-1, 4, 4)) // staged already
			before[4*9+4] = -1
			next := make([]int32, 81)
			for i := range next {
				next[i] = int32(i * i)
			}
			fsys.FailAt, fsys.Persistent, fsys.Err = fsys.Count()+at, true, syscall.EIO
			err = a.Write(ctx, next)
			if err == nil {
				check(t, a.Abort())
				break
			}
			failed++
			fsys.FailAt = 0
			if got, readErr := a.Read(ctx); readErr != nil || !slices.Equal(got, before) {
				t.Fatalf("sparse=%v: after a failure at operation %d (%v): %v, %v", sparse, at, err, got, readErr)
			}
			check(t, a.Commit(ctx), a.Close())
		}
		if failed < 3 {
			t.Fatalf("sparse=%v: %d failures", sparse, failed)
		}
	}
}
