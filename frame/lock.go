package frame

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// lockFile is the lock of a frame, as C-Blosc2 has it too (docs/format/frame.md#lock): a file beside a contiguous frame or in the directory of a sparse
// one. Writers hold it alone, readers together; it counts the writers, so that everybody sees that somebody wrote. The whole of a handle
// counts as one holder, because the system would take a second lock of the same file for a change of the first.
type lockFile struct {
	fs       storage.Locker
	name     string
	patience time.Duration // that no wait exceeds; 0 means what its context says

	mu      sync.Mutex
	lock    storage.Lock // nil until it is needed
	readers int          // of this handle, that hold it
	writing bool         // this handle holds it alone; with readers besides, it may be for their sake only
	eager   bool         // a writer of this handle waits, which readers let go first
	seen    uint64       // the counter when the lock was held last
	stale   bool         // another writer was here since the handle was brought up to date
}

const (
	lockSuffix = ".b2lock"
	counterAt  = 8 // behind the byte that Windows locks; in the machine's own byte order
)

// newLockFile returns the lock of a frame, which does not touch the disk yet.
func newLockFile(fsys storage.FS, path string, sparse bool, patience time.Duration) (*lockFile, error) {
	locker, ok := fsys.(storage.Locker)
	if !ok {
		return nil, fmt.Errorf("locking in this storage: %w", errors.ErrUnsupported)
	}
	if sparse {
		path += "/"
	}
	return &lockFile{fs: locker, name: path + lockSuffix, patience: patience}, nil
}

// How long the lock is left alone between two attempts. Another process may hold it for the time of a change again and again, with next to nothing
// between, so attempts must not become rare.
const (
	leastPause = 20 * time.Microsecond
	mostPause  = time.Millisecond
)

// wait calls try until it succeeds. The caller does not hold the mutex, try does.
func (l *lockFile) wait(ctx context.Context, try func() (bool, error)) error {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		ok, err := l.locked(try)
		if ok || err != nil {
			return err
		}
		if l.patience > 0 && pause == leastPause {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, l.patience)
			defer cancel()
		}
		timer := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%s: %w: %w", l.name, cairn.ErrLocked, context.Cause(ctx))
		case <-timer.C:
		}
	}
}

func (l *lockFile) locked(try func() (bool, error)) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return try()
}

// try takes the lock if nobody else has it, and looks at the counter.
func (l *lockFile) try(exclusive bool) (ok bool, err error) {
	if l.lock == nil {
		if l.lock, err = l.fs.OpenLock(l.name); err != nil {
			return false, err
		}
	}
	if ok, err = l.lock.TryLock(exclusive); !ok {
		return false, err
	}
	if err := l.look(exclusive); err != nil {
		return false, errors.Join(err, l.lock.Unlock())
	}
	return true, nil
}

// look compares the counter with what it was. A writer adds one at once, before it changes anything.
func (l *lockFile) look(exclusive bool) error {
	var b [8]byte
	count := uint64(0)
	switch n, err := l.lock.ReadAt(b[:], counterAt); {
	case n == len(b):
		count = binary.NativeEndian.Uint64(b[:])
	case !errors.Is(err, io.EOF):
		return err
	}
	l.stale = l.stale || count != l.seen
	l.seen = count
	if exclusive {
		binary.NativeEndian.PutUint64(b[:], count+1)
		if _, err := l.lock.WriteAt(b[:], counterAt); err != nil {
			return err
		}
		l.seen = count + 1
	}
	return nil
}

// exclusive takes the lock alone.
func (l *lockFile) exclusive(ctx context.Context) error {
	err := l.wait(ctx, func() (bool, error) {
		l.eager = true
		if l.readers > 0 || l.writing {
			return false, nil
		}
		ok, err := l.try(true)
		l.writing = ok
		return ok, err
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.eager = false
	return err
}

// shared takes the lock together with other readers, this handle's among them, or besides this handle's own writer.
func (l *lockFile) shared(ctx context.Context) error {
	return l.wait(ctx, func() (bool, error) {
		if l.readers > 0 || l.writing {
			if l.eager && !l.writing {
				return false, nil
			}
			l.readers++
			return true, nil
		}
		ok, err := l.try(false)
		if ok {
			l.readers = 1
		}
		return ok, err
	})
}

// holds reports whether this handle has the lock alone.
func (l *lockFile) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writing
}

// releaseExclusive gives the lock back, unless readers of this handle still need it: then the last of them does.
func (l *lockFile) releaseExclusive() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.writing {
		return nil
	}
	l.writing = false
	return l.releaseLast()
}

func (l *lockFile) releaseShared() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers--
	return l.releaseLast()
}

func (l *lockFile) releaseLast() error {
	if l.readers > 0 || l.writing || l.lock == nil {
		return nil
	}
	return l.lock.Unlock()
}

// settled tells that the handle shows what is on disk.
func (l *lockFile) settled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stale = false
}

// outdate tells that somebody wrote without the counter telling.
func (l *lockFile) outdate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stale = true
}

func (l *lockFile) isStale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stale
}

// close gives everything back. The file stays, as C-Blosc2 leaves it.
func (l *lockFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lock == nil {
		return nil
	}
	lock := l.lock
	l.lock, l.readers, l.writing = nil, 0, false
	return lock.Close()
}
