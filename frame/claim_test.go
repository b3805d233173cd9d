package frame

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// rivals makes a frame of one chunk and opens it twice for writing, without locking.
func rivals(t *testing.T, fsys storage.FS, name string, sparse bool) (a, b *Frame) {
	t.Helper()
	f, err := Create(name, &Options{TypeSize: 8, ChunkSize: 64, Sparse: sparse, FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	must(f.Append(noContext, lockStamp(0, 0)))
	mustClose(t, f)
	o := &OpenOptions{Mode: ReadWrite, FS: fsys}
	return must(Open(name, o)), must(Open(name, o))
}

// wantChunks checks that a frame has exactly one chunk of each of these writers, in order.
func wantChunks(t *testing.T, fsys storage.FS, name string, writers ...int) {
	t.Helper()
	f, err := Open(name, &OpenOptions{FS: fsys, Verify: VerifyAlways})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts, err := lockStamps(f.Snapshot())
	if err != nil || f.NumChunks() != len(writers) {
		t.Fatalf("%d chunks of %v, %v", f.NumChunks(), counts, err)
	}
	for _, w := range writers {
		if counts[w] != 1 {
			t.Fatalf("chunks of %v, want one of each of %v", counts, writers)
		}
	}
	if _, err := f.Snapshot().Verify(noContext); err != nil {
		t.Fatal(err)
	}
}

// forPlaces runs a test of rivals in every layout and file system.
func forPlaces(t *testing.T, test func(t *testing.T, fsys storage.FS, name string, sparse bool)) {
	for _, sparse := range []bool{false, true} {
		test(t, storage.NewMemory(), "f", sparse)
		test(t, storage.OS(), filepath.Join(t.TempDir(), "f"), sparse)
	}
}

func wantConflict(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, cairn.ErrConflict) {
		t.Fatalf("%s: %v", what, err)
	}
}

// TestOutdatedHandlesWriteNothing commits with one handle. Changes of the other must fail,
// because they would overwrite that commit.
func TestOutdatedHandlesWriteNothing(t *testing.T) {
	forPlaces(t, func(t *testing.T, fsys storage.FS, name string, sparse bool) {
		a, b := rivals(t, fsys, name, sparse)
		must(b.Append(noContext, lockStamp(1, 0)))
		if err := b.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		_, err := a.Append(noContext, lockStamp(2, 0))
		wantConflict(t, "a handle that is behind", err)
		if err := errors.Join(a.Abort(), b.Close()); err != nil {
			t.Fatal(err)
		}
		wantChunks(t, fsys, name, 0, 1)
	})
}

// TestOneHandleStagesAtATime checks that a second handle is refused: both would write at the same
// place.
func TestOneHandleStagesAtATime(t *testing.T) {
	forPlaces(t, func(t *testing.T, fsys storage.FS, name string, sparse bool) {
		a, b := rivals(t, fsys, name, sparse)
		must(a.Append(noContext, lockStamp(1, 0)))
		_, err := b.Append(noContext, lockStamp(2, 0))
		if !sparse {
			wantConflict(t, "staging beside another handle", err)
			// A rollback or a failed change releases the claim.
			if err := a.Rollback(); err != nil {
				t.Fatal(err)
			}
			if err := b.Delete(noContext, 9); !errors.Is(err, cairn.ErrBounds) {
				t.Fatal(err)
			}
			must(a.Append(noContext, lockStamp(1, 0)))
		}
		if err := a.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		if sparse {
			wantConflict(t, "the second commit", b.Commit(noContext))
		}
		if err := errors.Join(a.Close(), b.Abort()); err != nil {
			t.Fatal(err)
		}
		wantChunks(t, fsys, name, 0, 1)
	})
}

// TestCommitIntoAReplacedFileIsRefused compacts with one handle, which replaces the file. A commit
// of the other handle to the old file would be lost.
func TestCommitIntoAReplacedFileIsRefused(t *testing.T) {
	forPlaces(t, func(t *testing.T, fsys storage.FS, name string, sparse bool) {
		a, b := rivals(t, fsys, name, sparse)
		must(a.Compact(noContext))
		_, err := b.Append(noContext, lockStamp(1, 0))
		wantConflict(t, "writing to the file that was replaced", err)
		wantChunks(t, fsys, name, 0)
		if err := errors.Join(a.Abort(), b.Abort()); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLockingHandleSeesChangesMadeWithoutTheLock changes a frame without the lock, so the counter
// stays the same. The claim and the header must reveal the change.
func TestLockingHandleSeesChangesMadeWithoutTheLock(t *testing.T) {
	fsys := storage.NewMemory()
	a, b := rivals(t, fsys, "f", false)
	mustClose(t, b)
	locked := must(Open("f", &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: true}))
	must(a.Append(noContext, lockStamp(1, 0)))
	_, err := locked.Append(noContext, lockStamp(2, 0))
	wantConflict(t, "beside a handle that has staged", err)
	mustClose(t, a)
	must(locked.Append(noContext, lockStamp(2, 0)))
	mustClose(t, locked)
	wantChunks(t, fsys, "f", 0, 1, 2)
}

// TestClosingLeavesAnotherHandlesBytes closes a handle with dropped chunks behind the frame, where
// another handle has staged its own.
func TestClosingLeavesAnotherHandlesBytes(t *testing.T) {
	fsys := storage.NewMemory()
	a, b := rivals(t, fsys, "f", false)
	must(a.Append(noContext, lockStamp(1, 0)))
	if err := a.Rollback(); err != nil {
		t.Fatal(err)
	}
	must(b.Append(noContext, lockStamp(2, 0)))
	mustClose(t, a)
	mustClose(t, b)
	wantChunks(t, fsys, "f", 0, 2)
}

// TestCompactionFollowsLinks checks that a compaction replaces the file, not the symbolic link to
// it.
func TestCompactionFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	a, b := rivals(t, storage.OS(), filepath.Join(dir, "f"), false)
	mustClose(t, a)
	mustClose(t, b)
	link := filepath.Join(dir, "link")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	f := must(Open(link, &OpenOptions{Mode: ReadWrite}))
	must(f.Append(noContext, lockStamp(1, 0)))
	must(f.Compact(noContext))
	mustClose(t, f)
	if info := must(os.Lstat(link)); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is a file now")
	}
	wantChunks(t, storage.OS(), filepath.Join(dir, "f"), 0, 1)
}

// TestLockTimesOut holds the lock. All calls of other handles must time out, also those without
// a context.
func TestLockTimesOut(t *testing.T) {
	const brief = 5 * time.Millisecond
	for _, sparse := range []bool{false, true} {
		fsys := storage.NewMemory()
		holder := sharedHandles(t, fsys, sparse, 1)[0]
		o := &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: true, LockTimeout: brief}
		other := must(Open("f", o))
		if err := errors.Join(holder.Lock(noContext), holder.edit.lock.ExcludeReaders(noContext)); err != nil {
			t.Fatal(err)
		}
		_, opening := Open("f", o)
		_, sharing := other.Share(noContext)
		_, writing := other.Append(noContext, lockStamp(1, 0))
		f := must(Create("f", &Options{TypeSize: 8, FS: fsys, Sparse: sparse, Overwrite: true, Locking: true, LockTimeout: brief}))
		if sparse {
			// A new sparse frame needs no lock: its directory still has a temporary name.
			if err := f.Abort(); err != nil {
				t.Fatal(err)
			}
		} else if err := f.Close(); !errors.Is(err, cairn.ErrLocked) {
			t.Fatalf("closing: %v", err)
		}
		for what, err := range map[string]error{"opening": opening, "sharing": sharing, "writing": writing} {
			if !errors.Is(err, cairn.ErrLocked) {
				t.Fatalf("%s: %v", what, err)
			}
		}
		if err := errors.Join(holder.Unlock(), holder.Close(), other.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if (&OpenOptions{LockTimeout: -1}).Validate() == nil || (&Options{LockTimeout: -1}).Validate() == nil {
		t.Error("a negative timeout is accepted")
	}
}

// TestEveryCommitOfASparseFrameHasAnotherLength: readers of C-Blosc2 without the lock notice a
// change only by the length.
func TestEveryCommitOfASparseFrameHasAnotherLength(t *testing.T) {
	fsys, last := storage.NewMemory(), map[int64]int{}
	f := sharedHandles(t, fsys, true, 1)[0]
	for i := range 600 {
		if i < 3 {
			must(f.Append(noContext, lockStamp(i, 0)))
		} else if err := f.Update(noContext, i%3, lockStamp(i, 0)); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		info := must(fsys.Stat("f/" + sparseIndex))
		if n, ok := last[info.Size]; ok && i-n < lengthCycle {
			t.Fatalf("commits %d and %d have %d bytes", n, i, info.Size)
		}
		last[info.Size] = i
	}
	mustClose(t, f)
}

// TestAbortKeepsBytesOfUnclaimedWriters lets C-Blosc2, which does not claim files, write its
// chunks where another handle has staged some: behind the frame, or in a chunk file of the same
// number.
func TestAbortKeepsBytesOfUnclaimedWriters(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		fsys := storage.NewMemory()
		a, b := rivals(t, fsys, "f", sparse)
		must(b.Append(noContext, lockStamp(1, 0)))
		if err := b.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		mustClose(t, b)
		after := map[string][]byte{}
		names := []string{"f"}
		if sparse {
			names = nil
			for _, e := range must(fsys.ReadDir("f")) {
				names = append(names, "f/"+e.Name)
			}
		}
		for _, name := range names {
			after[name] = content(t, fsys, name)
		}
		if err := errors.Join(a.Abort(), fsys.RemoveAll("f")); err != nil {
			t.Fatal(err)
		}
		a, b = rivals(t, fsys, "f", sparse)
		mustClose(t, b)
		must(a.Append(noContext, lockStamp(2, 0)))
		for name, bytes := range after { // written in place, as C-Blosc2 does
			file := must(fsys.OpenRW(name))
			must(file.WriteAt(bytes, 0))
			if err := errors.Join(file.Truncate(int64(len(bytes))), file.Close()); err != nil {
				t.Fatal(err)
			}
		}
		wantConflict(t, "the commit", a.Commit(noContext))
		if err := a.Abort(); err != nil {
			t.Fatal(err)
		}
		wantChunks(t, fsys, "f", 0, 1)
	}
}
