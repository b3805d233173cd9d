package ndarray

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// sharedArrays makes an array of 4 rows of 6 in memory, and opens n handles of it with locking.
func sharedArrays(t *testing.T, fsys storage.FS, sparse bool, n int) []Array[int64] {
	t.Helper()
	a, err := Create[int64]("a", Shape{4, 6}, &Options{ChunkShape: Shape{2, 6}, BlockShape: Shape{1, 6}, Sparse: sparse, FS: fsys, Locking: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	check(t, a.Close())
	handles := make([]Array[int64], n)
	for i := range handles {
		if handles[i], err = OpenAs[int64]("a", &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: true, Workers: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return handles
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestReadsDoNotWaitForStagedWrites reads and refreshes while another handle has staged a write and
// a resize.
func TestReadsDoNotWaitForStagedWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sparse := range []bool{false, true} {
			handles := sharedArrays(t, storage.NewMemory(), sparse, 2)
			writer, reader := handles[0], handles[1]
			check(t, writer.Set(7, 1, 1), writer.Untyped.Resize(t.Context(), Shape{8, 6}, nil))
			brief, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			got, err := reader.Read(brief)
			check(t, err)
			_, err = reader.Untyped.Refresh(brief)
			check(t, err)
			if len(got) != 24 || got[7] != 0 {
				t.Errorf("%d items, %d at [1 1], of what is not committed", len(got), got[7])
			}
			check(t, writer.Commit(t.Context()))
			got, err = reader.Read(t.Context())
			check(t, err)
			if len(got) != 48 || got[7] != 7 {
				t.Errorf("%d items, %d at [1 1], of what is committed", len(got), got[7])
			}
			check(t, writer.Close(), reader.Close())
		}
	})
}

// TestReadsDoNotWaitForAWriteThatWaits checks that a handle can read while its own write waits for
// another handle's transaction.
func TestReadsDoNotWaitForAWriteThatWaits(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		handles := sharedArrays(t, storage.NewMemory(), sparse, 2)
		first, second := handles[0], handles[1]
		check(t, first.Set(7, 1, 1), first.Untyped.flushNow(t.Context()))
		ended := make(chan error)
		go func() { ended <- errors.Join(second.Set(8, 2, 2), second.Commit(t.Context())) }()
		time.Sleep(5 * time.Millisecond)
		brief, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range 20 {
			got, err := second.Read(brief)
			check(t, err)
			if got[7] != 0 {
				t.Fatal("what is not committed is there")
			}
		}
		check(t, first.Commit(t.Context()), <-ended)
		got, err := first.Read(t.Context())
		check(t, err)
		if got[7] != 7 || got[14] != 8 {
			t.Errorf("%d and %d", got[7], got[14])
		}
		check(t, first.Close(), second.Close())
	}
}

// growRows resizes the array to the given number of rows, as another program would.
func growRows(t *testing.T, fsys storage.FS, rows int64, more int64) {
	t.Helper()
	f, err := frame.Open("a", &frame.OpenOptions{Mode: frame.ReadWrite, FS: fsys, Locking: true})
	if err != nil {
		t.Fatal(err)
	}
	content, err := f.Layer(meta.LayerB2ND)
	check(t, err)
	m, err := meta.ParseB2ND(content)
	check(t, err)
	m.Shape[0] = rows
	if more > 0 {
		check(t, f.AppendSpecial(t.Context(), chunk.SpecialZeros, more*2*6*8))
	}
	check(t, f.SetMeta(meta.LayerB2ND, m.Append(nil)), f.Close())
}

// TestHandlesThatWriteTheSameChunks increments items of one chunk from several handles; no update
// may be lost.
func TestHandlesThatWriteTheSameChunks(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		fsys := storage.NewMemory()
		handles := sharedArrays(t, fsys, sparse, 4)
		const rounds = 25
		errs := make([]error, len(handles))
		var group sync.WaitGroup
		for w, a := range handles {
			group.Go(func() { errs[w] = addUp(a, int64(w), rounds) })
		}
		group.Wait()
		check(t, errs...)
		a, err := OpenAs[int64]("a", &OpenOptions{FS: fsys, Locking: true})
		check(t, err)
		got, err := a.Read(t.Context())
		check(t, err, a.Close())
		want := make([]int64, 24)
		want[0] = int64(rounds * len(handles))
		for w := range handles {
			want[1+w] = rounds
		}
		if !slices.Equal(got, want) {
			t.Errorf("sparse=%v: %v", sparse, got)
		}
	}
}

// addUp increments the first item under the lock, and sets an item of its own without it.
func addUp(a Array[int64], own int64, rounds int) error {
	ctx := context.Background()
	for n := range rounds {
		if err := a.Set(int64(n+1), 0, 1+own); err != nil {
			return errors.Join(err, a.Abort())
		}
		if err := a.Commit(ctx); err != nil {
			return errors.Join(err, a.Abort())
		}
		if err := a.Untyped.Lock(ctx); err != nil {
			return errors.Join(err, a.Abort())
		}
		sum, err := a.At(0, 0)
		if err == nil {
			err = a.Set(sum+1, 0, 0)
		}
		if err == nil {
			err = a.Commit(ctx)
		}
		if err != nil {
			return errors.Join(err, a.Abort())
		}
	}
	return a.Close()
}

func TestHandlesFollowGrowth(t *testing.T) {
	ctx := t.Context()
	for _, sparse := range []bool{false, true} {
		fsys := storage.NewMemory()
		h := sharedArrays(t, fsys, sparse, 1)
		reader, err := OpenAs[int64]("a", &OpenOptions{FS: fsys, Locking: true})
		check(t, err)
		alone, err := OpenAs[int64]("a", &OpenOptions{FS: fsys})
		check(t, err)
		writer := h[0]
		if _, err := reader.Read(ctx); err != nil {
			t.Fatal(err)
		}
		growRows(t, fsys, 7, 2)
		if !slices.Equal(writer.Shape(), Shape{4, 6}) || !slices.Equal(reader.Shape(), Shape{4, 6}) {
			t.Fatal("a shape changes by itself")
		}
		// A write that was called for the old shape fails and changes nothing; the same call then
		// succeeds for the new one.
		if err := writer.Fill(ctx, 5); !errors.Is(err, cairn.ErrConflict) {
			t.Fatalf("a write for another shape: %v", err)
		}
		if got, err := reader.Read(ctx); err != nil || !slices.Equal(got, make([]int64, 42)) || reader.Len() != 42 {
			t.Fatalf("%v, %v", got, err)
		}
		check(t, writer.Fill(ctx, 5), writer.Commit(ctx))
		if grew, err := reader.Untyped.Refresh(ctx); grew || err != nil {
			t.Fatalf("grew=%v, %v", grew, err)
		}
		if last, err := reader.At(-1, -1); last != 5 || err != nil {
			t.Fatalf("the last item is %d, %v", last, err)
		}
		growRows(t, fsys, 8, 0)
		if grew, err := reader.Untyped.Refresh(ctx); !grew || err != nil || !slices.Equal(reader.Shape(), Shape{8, 6}) || reader.NumChunks() != 4 {
			t.Fatalf("grew=%v, %v, %v", grew, err, reader.Shape())
		}
		// The new row was padding, so its contents are undefined; but it exists.
		if _, err := reader.At(7, 5); err != nil {
			t.Fatal(err)
		}
		// Without locking a handle keeps the state that it opened.
		if got, err := alone.Read(ctx); err != nil || !slices.Equal(got, make([]int64, 24)) {
			t.Fatalf("%v, %v", got, err)
		}
		check(t, writer.Close(), reader.Close(), alone.Close())
		again, err := OpenAs[int64]("a", &OpenOptions{FS: fsys})
		check(t, err)
		if !slices.Equal(again.Shape(), Shape{8, 6}) {
			t.Fatalf("opened again: %v", again.Shape())
		}
		check(t, again.Close())
	}
}

func TestAnotherArrayInTheSamePlaceIsAConflict(t *testing.T) {
	fsys := storage.NewMemory()
	a := sharedArrays(t, fsys, false, 1)[0]
	b, err := Create[int64]("a", Shape{4, 6}, &Options{ChunkShape: Shape{4, 6}, BlockShape: Shape{1, 6}, FS: fsys, Overwrite: true, Locking: true})
	check(t, err)
	check(t, b.Close())
	if err := a.Fill(t.Context(), 1); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("a write: %v", err)
	}
	if _, err := a.Read(t.Context()); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("a read: %v", err)
	}
	check(t, a.Abort())
}

// TestReadsInsideOfShareDoNotWaitForAWriter reads while a writer of the same handle waits for Share
// to end.
func TestReadsInsideOfShareDoNotWaitForAWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := sharedArrays(t, storage.NewMemory(), false, 1)[0]
		u, ctx := a.Untyped, t.Context()
		done, err := u.Share(ctx)
		check(t, err)
		wrote := make(chan error, 1)
		go func() { wrote <- a.Set(7, 0, 0) }()
		time.Sleep(5 * time.Millisecond) // the writer is waiting now, or will be soon
		if got, err := a.At(0, 0); got != 0 || err != nil {
			t.Fatalf("inside of Share: %d, %v", got, err)
		}
		check(t, done(), <-wrote)
		if got, err := a.At(0, 0); got != 7 || err != nil {
			t.Fatalf("%d, %v", got, err)
		}
		check(t, a.Commit(ctx))
		brief, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
		defer cancel()
		other, err := u.Share(ctx)
		check(t, err)
		if err := a.Fill(brief, 1); !errors.Is(err, cairn.ErrLocked) {
			t.Fatalf("a write inside of Share: %v", err)
		}
		check(t, other(), a.Close())
	})
}

func TestReadsMayOutliveShare(t *testing.T) {
	var s sharing
	released := false
	s.begin()
	if !s.beginRead() {
		t.Fatal("a read inside of Share takes the lock again")
	}
	check(t, s.end(func() error { released = true; return nil }))
	if released || s.beginRead() {
		t.Fatal("the lock is given back during a read, or lent when Share is over")
	}
	check(t, s.endRead())
	if !released {
		t.Fatal("the lock is kept")
	}
}
