package frame

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// forLocks runs a test with three handles of one frame, in every layout and file system with locks.
func forLocks(t *testing.T, in bubble, test func(t *testing.T, h []*Frame)) {
	for _, sparse := range []bool{false, true} {
		for _, disk := range []bool{false, true} {
			t.Run(fmt.Sprintf("sparse=%v,disk=%v", sparse, disk), in(func(t *testing.T) {
				fsys, name := storage.FS(storage.NewMemory()), "f"
				if disk {
					fsys, name = storage.OS(), filepath.Join(t.TempDir(), "f")
				}
				f := must(Create(name, &Options{TypeSize: 8, ChunkSize: 64, Sparse: sparse, FS: fsys, Locking: true}))
				must(f.Append(noContext, lockStamp(0, 0)))
				mustClose(t, f)
				h := make([]*Frame, 3)
				for i := range h {
					h[i] = must(Open(name, &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: true}))
				}
				test(t, h)
				for _, f := range h {
					mustClose(t, f)
				}
			}))
		}
	}
}

// A bubble is where a test runs.
type bubble func(test func(t *testing.T)) func(t *testing.T)

// virtualTime only passes while everybody waits, so that no deadline is over before the wait for
// the lock begins. Goroutines that share a handle need realTime: one that waits with the mutex of
// the handle is not seen as waiting by the others.
func virtualTime(test func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

func realTime(test func(t *testing.T)) func(t *testing.T) { return test }

// within returns a context for calls that must not wait.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func sharedChunks(ctx context.Context, f *Frame) (int, error) {
	done, err := f.Share(ctx)
	if err != nil {
		return 0, err
	}
	counts, err := lockStamps(f.Snapshot())
	n := 0
	for _, c := range counts {
		n += c
	}
	return n, errors.Join(err, done())
}

// TestReadersDoNotWaitForStagedChanges reads while a writer has appended, replaced and deleted
// chunks. Only other writers must wait.
func TestReadersDoNotWaitForStagedChanges(t *testing.T) {
	forLocks(t, virtualTime, func(t *testing.T, h []*Frame) {
		writer, reader, second := h[0], h[1], h[2]
		for n := 1; n < 4; n++ {
			must(writer.Append(noContext, lockStamp(0, n)))
		}
		if err := errors.Join(writer.Delete(noContext, 0), writer.Insert(noContext, 0, lockStamp(0, 0))); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if n, err := sharedChunks(within(t, 10*time.Second), reader); n != 1 || err != nil {
				t.Fatalf("beside staged changes: %d chunks, %v", n, err)
			}
			if changed, err := reader.Refresh(within(t, 10*time.Second)); changed || err != nil {
				t.Fatalf("beside staged changes: %v, %v", changed, err)
			}
		}
		if _, err := second.Append(within(t, 50*time.Millisecond), lockStamp(1, 0)); !errors.Is(err, cairn.ErrLocked) {
			t.Fatalf("a second writer: %v", err)
		}
		if err := writer.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		must(second.Append(within(t, 10*time.Second), lockStamp(1, 0)))
		if n, err := sharedChunks(within(t, 10*time.Second), reader); n != 4 || err != nil {
			t.Fatalf("after the commit: %d chunks, %v", n, err)
		}
		if err := second.Rollback(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestReadersDoNotWaitForAWriterThatWaits also tests the readers of the writer's own handle.
func TestReadersDoNotWaitForAWriterThatWaits(t *testing.T) {
	forLocks(t, realTime, func(t *testing.T, h []*Frame) {
		must(h[0].Append(noContext, lockStamp(0, 1)))
		ended := make(chan error)
		for n, change := range []func() error{
			func() error { _, err := h[1].Append(noContext, lockStamp(1, 0)); return err },
			func() error { return h[1].Lock(noContext) },
		} {
			go func() { ended <- change() }()
			time.Sleep(5 * time.Millisecond)
			for range 20 {
				if n, err := sharedChunks(within(t, 10*time.Second), h[1]); n == 0 || err != nil {
					t.Fatalf("beside a writer that waits: %d chunks, %v", n, err)
				}
			}
			select {
			case err := <-ended:
				t.Fatalf("the writer did not wait: %v", err)
			default:
			}
			if err := errors.Join(h[0].Commit(noContext), <-ended); err != nil {
				t.Fatal(err)
			}
			if err := h[1].Commit(noContext); err != nil {
				t.Fatal(err)
			}
			must(h[0].Append(noContext, lockStamp(0, 2+n)))
		}
		if n, err := sharedChunks(noContext, h[2]); n != 4 || err != nil {
			t.Fatalf("%d chunks, %v", n, err)
		}
	})
}

// TestCloseEndsAWaitForTheLock closes a handle while one of its changes waits for the lock.
func TestCloseEndsAWaitForTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := storage.NewMemory()
		h := sharedHandles(t, fsys, false, 2)
		must(h[0].Append(noContext, lockStamp(0, 0)))
		ended := make(chan error)
		go func() { _, err := h[1].Append(noContext, lockStamp(1, 0)); ended <- err }()
		time.Sleep(5 * time.Millisecond)
		mustClose(t, h[1])
		if err := <-ended; !errors.Is(err, cairn.ErrClosed) {
			t.Fatal(err)
		}
		mustClose(t, h[0])
		if !foreignWriter(t, fsys, "f")(false) {
			t.Error("the lock is taken")
		}
	})
}

// TestCommitWaitsForReaders checks that the state that a reader shares stays the newest until it
// is done.
func TestCommitWaitsForReaders(t *testing.T) {
	forLocks(t, virtualTime, func(t *testing.T, h []*Frame) {
		must(h[0].Append(noContext, lockStamp(0, 1)))
		done := must(h[1].Share(within(t, 10*time.Second)))
		for _, publish := range []func() error{
			func() error { return h[0].Commit(within(t, 50*time.Millisecond)) },
			func() error { _, err := h[0].Compact(within(t, 50*time.Millisecond)); return err },
		} {
			if err := publish(); !errors.Is(err, cairn.ErrLocked) {
				t.Fatalf("beside a reader: %v", err)
			}
		}
		if n, err := sharedChunks(within(t, 10*time.Second), h[2]); n != 1 || err != nil {
			t.Fatalf("%d chunks, %v", n, err)
		}
		if err := errors.Join(done(), h[0].Commit(noContext)); err != nil {
			t.Fatal(err)
		}
		if n, err := sharedChunks(within(t, 10*time.Second), h[2]); n != 2 || err != nil {
			t.Fatalf("%d chunks, %v", n, err)
		}
	})
}

// TestReadersAreNotStarved reads while a writer runs transactions without a gap.
func TestReadersAreNotStarved(t *testing.T) {
	forLocks(t, realTime, func(t *testing.T, h []*Frame) {
		stop, failed := make(chan struct{}), make(chan error, 1)
		go func() {
			for n := 1; ; n++ {
				select {
				case <-stop:
					failed <- nil
					return
				default:
				}
				_, err := h[0].Append(noContext, lockStamp(0, n))
				time.Sleep(10 * time.Millisecond) // staged
				if err == nil {
					err = h[0].Commit(noContext)
				}
				if err != nil {
					failed <- err
					return
				}
			}
		}()
		var slowest time.Duration
		for range 20 {
			began := time.Now()
			if _, err := sharedChunks(within(t, 10*time.Second), h[1]); err != nil {
				t.Error(err)
				break
			}
			slowest = max(slowest, time.Since(began))
			time.Sleep(time.Millisecond)
		}
		close(stop)
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
		t.Logf("the slowest read took %v", slowest) // commits wait for a busy disk
	})
}

// TestCommitIsNotStarvedByReaders commits while readers of another handle follow each other without
// a gap; some are nested in others.
func TestCommitIsNotStarvedByReaders(t *testing.T) {
	forLocks(t, realTime, func(t *testing.T, h []*Frame) {
		must(h[0].Append(noContext, lockStamp(0, 1)))
		stop, failed := make(chan struct{}), make(chan error, 4)
		for i := range cap(failed) {
			go func() {
				var err error
				for ended := false; !ended && err == nil; {
					var done func() error
					if done, err = h[1].Share(noContext); err != nil {
						break
					}
					if i == 0 {
						_, err = sharedChunks(noContext, h[1])
					}
					time.Sleep(2 * time.Millisecond)
					err = errors.Join(err, done())
					select {
					case <-stop:
						ended = true
					default:
					}
				}
				failed <- err
			}()
		}
		time.Sleep(10 * time.Millisecond)
		err := h[0].Commit(within(t, time.Minute))
		close(stop)
		for range cap(failed) {
			err = errors.Join(err, <-failed)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

const lockSuffix = ".b2lock" // appended to the name of a frame

// foreignWriter takes the lock of a frame as C-Blosc2 does, and increments the counter before it
// writes.
func foreignWriter(t *testing.T, fsys storage.FS, name string) func(write bool) bool {
	t.Helper()
	lock := must(fsys.(storage.Locker).OpenLock(name + lockSuffix))
	t.Cleanup(func() { _ = lock.Close() })
	return func(write bool) bool {
		if !must(lock.TryLock(true)) {
			return false
		}
		var err error
		if write {
			var count [8]byte // 0 if the file has none yet
			_, _ = lock.ReadAt(count[:], 8)
			binary.NativeEndian.PutUint64(count[:], binary.NativeEndian.Uint64(count[:])+1)
			_, err = lock.WriteAt(count[:], 8)
		}
		if err := errors.Join(err, lock.Unlock()); err != nil {
			t.Fatal(err)
		}
		return true
	}
}

// TestStagedChangesKeepForeignWritersOut checks that C-Blosc2 cannot take the lock while changes
// are staged: it would write at the same place.
func TestStagedChangesKeepForeignWritersOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := storage.NewMemory()
		h := sharedHandles(t, fsys, false, 2)
		foreign := foreignWriter(t, fsys, "f")
		if !foreign(false) {
			t.Fatal("somebody has the lock")
		}
		must(h[0].Append(noContext, lockStamp(0, 0)))
		done := must(h[1].Share(noContext))
		if foreign(false) {
			t.Fatal("a foreign writer comes in beside staged changes")
		}
		if err := h[0].Commit(within(t, 100*time.Millisecond)); !errors.Is(err, cairn.ErrLocked) {
			t.Fatal(err)
		}
		if err := done(); err != nil {
			t.Fatal(err)
		}
		if foreign(false) {
			t.Fatal("a foreign writer comes in after a commit that did not")
		}
		if err := h[0].Commit(noContext); err != nil {
			t.Fatal(err)
		}
		if !foreign(false) {
			t.Fatal("the lock was not given back")
		}
	})
}

// TestReadsFailBesideAKilledWriter gives the lock of a killed writer to a foreign one while a
// reader still shares the gate of the killed one.
func TestReadsFailBesideAKilledWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, write := range []bool{false, true} {
			fsys := storage.NewMemory()
			h := sharedHandles(t, fsys, false, 2)
			process := &mortal{FS: fsys}
			writer := must(Open("f", &OpenOptions{Mode: ReadWrite, FS: process, Locking: true}))
			foreign := foreignWriter(t, fsys, "f")
			must(writer.Append(noContext, lockStamp(0, 0)))
			done := must(h[0].Share(noContext))
			process.kill(t)
			if !foreign(write) {
				t.Fatal("a dead writer has the lock")
			}
			if err := done(); write != errors.Is(err, cairn.ErrConflict) || !write && err != nil {
				t.Fatalf("a foreign writer wrote: %v; the read: %v", write, err)
			}
			// The killed writer has left the gate open, but it must not admit readers.
			hold := must(fsys.(storage.Locker).OpenLock("f" + lockSuffix))
			if !must(hold.TryLock(true)) {
				t.Fatal("the lock is taken")
			}
			if _, err := h[1].Share(within(t, 50*time.Millisecond)); write != errors.Is(err, cairn.ErrLocked) {
				t.Fatalf("a foreign writer wrote: %v; a reader beside it: %v", write, err)
			}
			if err := hold.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
