package frame

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// sharedHandles makes a frame in memory and returns n handles of it that use locking.
func sharedHandles(t *testing.T, fsys storage.FS, sparse bool, n int) []*Frame {
	t.Helper()
	f, err := Create("f", &Options{TypeSize: 8, ChunkSize: 64, Sparse: sparse, FS: fsys, Locking: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	handles := make([]*Frame, n)
	for i := range handles {
		if handles[i], err = Open("f", &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: true}); err != nil {
			t.Fatal(err)
		}
	}
	return handles
}

// lockStamp returns a chunk that identifies its writer.
func lockStamp(writer, n int) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint64(nil, uint64(writer)<<32|uint64(n)), 8)
}

// lockStamps reads the stamps of all chunks, and checks that those of each writer are complete and
// in order.
func lockStamps(v *Snapshot) (map[int]int, error) {
	counts := map[int]int{}
	b := make([]byte, 64)
	for i := range v.NumChunks() {
		n, err := v.ReadChunk(noContext, b, i)
		if err != nil {
			return nil, err
		}
		s := binary.LittleEndian.Uint64(b)
		writer, number := int(s>>32), int(uint32(s))
		if n != 64 || !bytes.Equal(b, lockStamp(writer, number)) || number != counts[writer] {
			return nil, fmt.Errorf("chunk %d is %x, after %v", i, b[:n], counts)
		}
		counts[writer]++
	}
	return counts, nil
}

// appendAll lets all handles append chunks concurrently, each the given number.
func appendAll(handles []*Frame, count int) error {
	errs := make([]error, len(handles))
	var group sync.WaitGroup
	for w, f := range handles {
		group.Go(func() {
			for n := range count {
				_, err := f.Append(noContext, lockStamp(w, n))
				runtime.Gosched() // also with one processor
				if err == nil && n%3 != 2 {
					err = f.Commit(noContext)
				}
				if err != nil {
					errs[w] = errors.Join(err, f.Abort())
					return
				}
			}
			errs[w] = f.Close()
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func TestWritersWithLocksLoseNothing(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		fsys := storage.NewMemory()
		const writers, count = 4, 60
		if err := appendAll(sharedHandles(t, fsys, sparse, writers), count); err != nil {
			t.Fatal(err)
		}
		f, err := Open("f", &OpenOptions{FS: fsys, Locking: true})
		if err != nil {
			t.Fatal(err)
		}
		counts, err := lockStamps(f.Snapshot())
		if err != nil || len(counts) != writers || f.NumChunks() != writers*count {
			t.Errorf("sparse=%v: %d chunks, %v, %v", sparse, f.NumChunks(), counts, err)
		}
		if _, err := f.Snapshot().Verify(noContext); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// brokenLocks is a file system whose locks do not work.
type brokenLocks struct {
	storage.FS
	mutant string
}

func (b brokenLocks) OpenLock(name string) (storage.Lock, error) {
	l, err := b.FS.(storage.Locker).OpenLock(name)
	return brokenLock{l, b.mutant}, err
}

type brokenLock struct {
	storage.Lock
	mutant string
}

func (l brokenLock) TryLock(exclusive bool) (bool, error) {
	if l.mutant == "not taken" {
		return true, nil
	}
	return l.Lock.TryLock(exclusive)
}

func (l brokenLock) Unlock() error {
	if l.mutant == "not taken" {
		return nil
	}
	return l.Lock.Unlock()
}

func (l brokenLock) WriteAt(p []byte, off int64) (int, error) {
	if l.mutant == "not counted" {
		return len(p), nil
	}
	return l.Lock.WriteAt(p, off)
}

// mortal is a file system of a process that can be killed.
type mortal struct {
	storage.FS
	locks []storage.Lock
}

func (m *mortal) OpenLock(name string) (storage.Lock, error) {
	l, err := m.FS.(storage.Locker).OpenLock(name)
	m.locks = append(m.locks, l)
	return l, err
}

// kill releases the locks as the system does for a killed process.
func (m *mortal) kill(t *testing.T) {
	t.Helper()
	for _, l := range m.locks {
		if err := l.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBrokenLocksAreNoticed runs the test above with locks that do not work. It must fail.
func TestBrokenLocksAreNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Instead of waiting for the lock, a writer finds the file claimed.
		for _, mutant := range []string{"", "not taken"} {
			h := sharedHandles(t, brokenLocks{storage.NewMemory(), mutant}, false, 2)
			must(h[0].Append(noContext, lockStamp(0, 0)))
			ctx, cancel := context.WithTimeout(noContext, 50*time.Millisecond)
			_, err := h[1].Append(ctx, lockStamp(1, 0))
			cancel()
			if noticed := errors.Is(err, cairn.ErrConflict); noticed != (mutant != "") {
				t.Errorf("mutant %q: %v", mutant, err)
			}
		}
		// Writers also compare the header, but readers depend on the counter.
		h := sharedHandles(t, brokenLocks{storage.NewMemory(), "not counted"}, false, 2)
		must(h[0].Append(noContext, lockStamp(0, 0)))
		if err := h[0].Commit(noContext); err != nil {
			t.Fatal(err)
		}
		done := must(h[1].Share(noContext))
		if h[1].NumChunks() != 0 {
			t.Error("a counter that does not count makes no difference")
		}
		if err := errors.Join(done(), h[0].Close(), h[1].Close()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLockWaitsAndGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := storage.NewMemory()
		h := sharedHandles(t, fsys, false, 2)
		a, b := h[0], h[1]
		if err := a.Lock(noContext); err != nil {
			t.Fatal(err)
		}
		brief, cancel := context.WithTimeout(noContext, 5*time.Millisecond)
		defer cancel()
		_, err := b.Append(brief, lockStamp(1, 0))
		if !errors.Is(err, cairn.ErrLocked) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a held lock: %v", err)
		}
		if _, err := a.Append(noContext, lockStamp(0, 0)); err != nil {
			t.Fatal(err)
		}
		mine, err := a.Share(noContext) // during this handle's own change
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(a.Commit(noContext), mine()); err != nil {
			t.Fatal(err)
		}
		if b.NumChunks() != 0 {
			t.Fatal("a handle changes by itself")
		}
		done, err := b.Share(noContext)
		if err != nil || b.NumChunks() != 1 {
			t.Fatalf("%d chunks, %v", b.NumChunks(), err)
		}
		again, err := b.Share(noContext)
		if err != nil {
			t.Fatal(err)
		}
		brief, cancel = context.WithTimeout(noContext, 5*time.Millisecond)
		defer cancel()
		if err := a.Lock(brief); !errors.Is(err, cairn.ErrLocked) {
			t.Fatalf("a shared lock: %v", err)
		}
		if err := errors.Join(done(), again()); err != nil {
			t.Fatal(err)
		}
		if err := a.Delete(noContext, 7); !errors.Is(err, cairn.ErrBounds) {
			t.Fatal(err)
		}
		// The failed change did not keep the lock, and a rollback releases it.
		if _, err := b.Append(noContext, lockStamp(1, 0)); err != nil {
			t.Fatal(err)
		}
		if err := b.Rollback(); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(a.Lock(noContext), a.Rollback(), b.Lock(noContext), b.Commit(noContext), a.Close(), b.Close()); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLockFile checks the contents of the lock file for C-Blosc2: a counter of commits in bytes
// 8 to 15, in native byte order.
func TestLockFile(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		fsys := storage.NewMemory()
		h := sharedHandles(t, fsys, sparse, 1)
		name := "f.b2lock"
		if sparse {
			name = "f/.b2lock"
		}
		before := lockCount(t, fsys, name)
		for range 3 {
			must(h[0].Append(noContext, lockStamp(0, 0)))
			if err := errors.Join(h[0].Commit(noContext), h[0].Lock(noContext), h[0].Rollback()); err != nil {
				t.Fatal(err)
			}
		}
		if got := lockCount(t, fsys, name); got != before+3 {
			t.Errorf("sparse=%v: the counter goes from %d to %d", sparse, before, got)
		}
		if err := h[0].Close(); err != nil {
			t.Fatal(err)
		}
		if r, err := Verify(noContext, "f", &OpenOptions{FS: fsys}); err != nil || len(r.Orphans) != 0 {
			t.Errorf("the lock is taken for something else: %+v, %v", r, err)
		}
	}
}

func lockCount(t *testing.T, fsys storage.FS, name string) uint64 {
	t.Helper()
	f, err := fsys.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 8)
	if size, err := f.Size(); err != nil || size != 0 && size != 16 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	if _, err := f.ReadAt(b, 8); err != nil {
		return 0 // no commit yet
	}
	return binary.NativeEndian.Uint64(b)
}

// TestUnpublishedSparseFramesCanBeShared calls Share before the first commit, when there is no
// directory for the lock yet.
func TestUnpublishedSparseFramesCanBeShared(t *testing.T) {
	f, err := Create("a", &Options{Sparse: true, Locking: true, FS: storage.NewMemory()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.Append(t.Context(), []byte("abc")); err != nil {
			t.Fatal(err)
		}
		done, err := f.Share(t.Context())
		if err == nil {
			err = done()
		}
		if err == nil {
			err = f.Commit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
