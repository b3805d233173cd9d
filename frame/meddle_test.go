package frame

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/storage"
)

// meddling is a file system that calls a function before every operation that changes a file.
type meddling struct {
	storage.FS
	meddle func()
	torn   func() // called in the middle of a write of the header
}

type meddledFile struct {
	storage.Claimer
	storage.Lender
	fs *meddling
}

func (m *meddling) wrap(f storage.File, err error) (storage.File, error) {
	if err != nil {
		return nil, err
	}
	return &meddledFile{f.(storage.Claimer), f.(storage.Lender), m}, nil
}

func (m *meddling) Open(name string) (storage.File, error)   { return m.FS.Open(name) }
func (m *meddling) OpenRW(name string) (storage.File, error) { return m.wrap(m.FS.OpenRW(name)) }
func (m *meddling) Create(name string) (storage.File, error) {
	m.meddle()
	return m.wrap(m.FS.Create(name))
}
func (m *meddling) Rename(from, to string) error { m.meddle(); return m.FS.Rename(from, to) }
func (m *meddling) Remove(name string) error     { m.meddle(); return m.FS.Remove(name) }
func (m *meddling) OpenLock(name string) (storage.Lock, error) {
	return m.FS.(storage.Locker).OpenLock(name)
}

func (f *meddledFile) Sync() error               { f.fs.meddle(); return f.Claimer.Sync() }
func (f *meddledFile) Truncate(size int64) error { f.fs.meddle(); return f.Claimer.Truncate(size) }

// WriteAt writes a header in two pieces and calls torn in between.
func (f *meddledFile) WriteAt(p []byte, off int64) (int, error) {
	f.fs.meddle()
	if off == 0 && len(p) > format.AtFrameLen+8 {
		if n, err := f.Claimer.WriteAt(p[:format.AtFrameLen+7], off); err != nil {
			return n, err
		}
		f.fs.torn()
	}
	return f.Claimer.WriteAt(p, off)
}

// TestCommitsAreNotDisturbedByOtherHandles opens a frame before every operation of another handle's
// changes and commits, and in the middle of a write of the header. It opens it for writing, which
// restores a torn header, and with Sweep. All of that must wait, fail, or do no harm.
func TestCommitsAreNotDisturbedByOtherHandles(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for _, locking := range []bool{false, true} {
			fsys := &meddling{FS: storage.NewMemory(), meddle: func() {}, torn: func() {}}
			f, err := Create("f", &Options{TypeSize: 8, ChunkSize: 64, Sparse: sparse, FS: fsys, Locking: locking})
			if err != nil {
				t.Fatal(err)
			}
			must(f.Append(noContext, lockStamp(0, 0)))
			mustClose(t, f)
			f = must(Open("f", &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: locking}))
			visits, opened, swept := 0, 0, 0
			fsys.meddle = func() {
				visits++
				for _, sweep := range []bool{false, true} {
					// Without Locking, the caller of Sweep must be the only writer; for chunk files
					// this cannot be detected.
					if sweep && sparse && !locking {
						continue
					}
					g, err := Open("f", &OpenOptions{Mode: ReadWrite, FS: fsys.FS, Locking: locking,
						LockTimeout: time.Microsecond, Sweep: sweep})
					if err == nil {
						if opened++; sweep {
							swept++
						}
						err = g.Close()
					}
					if err != nil && !errors.Is(err, cairn.ErrLocked) && !errors.Is(err, cairn.ErrConflict) {
						t.Fatalf("visit %d: %v", visits, err)
					}
				}
			}
			fsys.torn = fsys.meddle
			for i := 1; i <= 4; i++ {
				must(f.Append(noContext, lockStamp(i, 0)))
				if i == 2 {
					if err := f.SetVL("n", bytes.Repeat([]byte{7}, 300)); err != nil {
						t.Fatal(err)
					}
				}
				if i == 3 {
					must(f.Compact(noContext))
					continue
				}
				if err := f.Commit(noContext); err != nil {
					t.Fatal(err)
				}
			}
			fsys.meddle, fsys.torn = func() {}, func() {}
			mustClose(t, f)
			wantChunks(t, fsys, "f", 0, 1, 2, 3, 4)
			if visits < 20 || opened == 0 || locking && swept > 0 {
				t.Errorf("sparse=%v locking=%v: %d visits, %d frames opened, %d swept",
					sparse, locking, visits, opened, swept)
			}
		}
	}
}

// TestOpenDoesNotHealATornHeaderDuringACommit opens a frame while another handle writes its header,
// and delays writes of the opening handle until the other one has committed again. An older header
// would undo that commit.
func TestOpenDoesNotHealATornHeaderDuringACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, locking := range []bool{false, true} {
			memory, committed, opened := storage.NewMemory(), make(chan struct{}), make(chan error, 1)
			for _, f := range sharedHandles(t, memory, false, 1) {
				must(f.Append(noContext, lockStamp(0, 0)))
				mustClose(t, f)
			}
			late := &meddling{FS: memory, meddle: func() { <-committed }, torn: func() {}}
			fsys := &meddling{FS: memory, meddle: func() {}, torn: func() {}}
			f := must(Open("f", &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: locking}))
			tears := 0
			fsys.torn = func() {
				if tears++; tears > 1 {
					return
				}
				go func() {
					g, err := Open("f", &OpenOptions{Mode: ReadWrite, FS: late, Locking: locking})
					if err == nil {
						err = g.Close()
					}
					opened <- err
				}()
				time.Sleep(5 * time.Millisecond) // enough time to find the torn header
			}
			for i := 1; i <= 2; i++ {
				must(f.Append(noContext, lockStamp(i, 0)))
				if err := f.Commit(noContext); err != nil {
					t.Fatal(err)
				}
			}
			close(committed)
			if err := errors.Join(<-opened, f.Close()); err != nil {
				t.Fatal(err)
			}
			wantChunks(t, memory, "f", 0, 1, 2)
			if tears == 0 {
				t.Error("no header was torn")
			}
		}
	})
}

// TestChangesWaitForAnOpeningHandle changes a frame while another handle claims it to read a torn
// header again.
func TestChangesWaitForAnOpeningHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sparse := range []bool{false, true} {
			fsys, name := storage.NewMemory(), "f"
			f := sharedHandles(t, fsys, sparse, 1)[0]
			if sparse {
				name += "/" + sparseIndex
			}
			other := must(fsys.OpenRW(name)).(storage.Claimer)
			if !must(other.TryClaim()) {
				t.Fatal("somebody else has claimed the frame")
			}
			done := make(chan error)
			go func() {
				time.Sleep(2 * time.Millisecond)
				done <- other.Unclaim()
			}()
			must(f.Append(noContext, lockStamp(0, 0)))
			if err := errors.Join(f.Commit(noContext), <-done, f.Close(), other.Close()); err != nil {
				t.Errorf("sparse=%v: %v", sparse, err)
			}
		}
	})
}
