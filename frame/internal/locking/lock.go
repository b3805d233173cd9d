// Package locking lets handles in several processes take turns in changing a frame, and lets
// readers read while a writer only stages changes.
package locking

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Lock is the lock of a frame, compatible with that of C-Blosc2 (docs/format/frame.md#lock): a file
// beside a contiguous frame or in the directory of a sparse one. Writers hold it exclusively,
// readers share it. A counter in the file tells other handles that a writer changed the frame.
// Readers of this module need not wait for a writer of this module that only stages changes
// (beside.go). A handle takes the lock only once for all its readers and its writer, because the
// system would treat a second lock of the same file as a change of the first.
type Lock struct {
	fs       storage.Locker
	name     string
	patience time.Duration // the longest wait; 0 means that only the context limits it

	mu      sync.Mutex
	lock    storage.Lock // nil until it is needed
	gate    storage.Lock // see beside.go; nil until it is needed
	readers int          // readers of this handle, which share the lock or the gate
	beside  bool         // readers share the gate
	// this handle holds the lock exclusively
	writing       bool
	gateExclusive bool   // this handle holds the gate exclusively
	counted       bool   // this transaction has incremented the counter
	writerWaiting bool   // a writer of this handle waits; new readers must let it go first
	seen          uint64 // the counter when the lock was last held
	closed        bool

	Stale atomic.Bool // another writer has changed the frame since the handle was updated
}

const (
	lockSuffix = ".b2lock"
	counterAt  = 8 // behind the byte that Windows locks; the counter is in native byte order
)

// Briefly is how long to wait for the lock for optional cleanup.
const Briefly = 100 * time.Millisecond

// New returns the lock of a frame. It does not access files yet.
func New(fsys storage.FS, path string, sparse bool, patience time.Duration) (*Lock, error) {
	locker, ok := fsys.(storage.Locker)
	if !ok {
		return nil, fmt.Errorf("locking in this storage: %w", errors.ErrUnsupported)
	}
	if sparse {
		path += "/"
	}
	return &Lock{fs: locker, name: path + lockSuffix, patience: patience}, nil
}

// The pause between two attempts grows from minPause to maxPause. Attempts must not become
// rarer, because another process may take the lock again and again with hardly any time in between.
const (
	minPause = 20 * time.Microsecond
	maxPause = time.Millisecond
)

// wait calls try, with the mutex held, until it succeeds. The caller must not hold the mutex.
func (l *Lock) wait(ctx context.Context, try func() (bool, error)) error {
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		ok, err := l.locked(try)
		if ok || err != nil {
			return err
		}
		if l.patience > 0 && pause == minPause {
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

func (l *Lock) locked(try func() (bool, error)) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return try()
}

// open opens a lock file, unless it is already open.
func (l *Lock) open(lock *storage.Lock, name string) (err error) {
	if l.closed {
		return cairn.ErrClosed
	}
	if *lock == nil {
		*lock, err = l.fs.OpenLock(name)
	}
	return err
}

// try takes the lock if it is free, and checks the counter.
func (l *Lock) try(exclusive bool) (bool, error) {
	if err := l.open(&l.lock, l.name); err != nil {
		return false, err
	}
	if ok, err := l.lock.TryLock(exclusive); !ok {
		return false, err
	}
	if err := l.checkCounter(); err != nil {
		return false, errors.Join(err, l.lock.Unlock())
	}
	return true, nil
}

// checkCounter sets Stale if the counter has changed since it was last seen.
func (l *Lock) checkCounter() error {
	count, err := number(l.lock)
	if err != nil {
		return err
	}
	if count != l.seen {
		l.Stale.Store(true)
		l.seen = count
	}
	return nil
}

// count increments the counter, before this handle writes.
func (l *Lock) count() error {
	if err := setNumber(l.lock, l.seen+1); err != nil {
		return err
	}
	l.seen++
	return nil
}

// number returns the number in a lock file, 0 if there is none.
func number(lock storage.Lock) (uint64, error) {
	var b [8]byte
	n, err := lock.ReadAt(b[:], counterAt)
	if n == len(b) {
		return binary.NativeEndian.Uint64(b[:]), nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return 0, err
}

func setNumber(lock storage.Lock, n uint64) error {
	_, err := lock.WriteAt(binary.NativeEndian.AppendUint64(nil, n), counterAt)
	return err
}

// Begin takes the lock exclusively, unless this handle already holds it, and opens the gate for
// readers.
func (l *Lock) Begin(ctx context.Context) error {
	err := l.wait(ctx, func() (bool, error) {
		if l.writerWaiting = l.readers > 0; l.writing || l.writerWaiting {
			return l.writing, nil
		}
		ok, err := l.try(true)
		if !ok {
			return false, err
		}
		if err := l.openGate(); err != nil {
			return false, errors.Join(err, l.lock.Unlock())
		}
		l.writing = true
		return true, nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writerWaiting = false
	return err
}

// Holds reports whether this handle holds the lock exclusively.
func (l *Lock) Holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writing
}

// End releases the exclusive lock. If readers of this handle still need the lock, the last of them
// releases it.
func (l *Lock) End() error {
	if !l.Holds() {
		return nil
	}
	err := l.closeGateBriefly()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = false
	l.counted = false
	err = errors.Join(err, l.releaseLast())
	if l.gateExclusive {
		l.gateExclusive = false
		err = errors.Join(err, l.gate.Unlock())
	}
	return err
}

// Share takes the lock shared with other readers. It also succeeds if this handle already holds the
// lock, for readers or for its writer, or if another writer that only stages changes has opened the
// gate.
//
// If this handle already has readers, a new one first lets a writer go that wants to publish;
// otherwise readers could delay it forever. It waits only Briefly, because it may be a read inside
// of another one for which that writer waits.
func (l *Lock) Share(ctx context.Context) error {
	began := time.Now()
	return l.wait(ctx, func() (bool, error) {
		if l.readers > 0 || l.writing {
			if l.writerWaiting && !l.writing {
				return false, nil
			}
			if l.beside && time.Since(began) < Briefly {
				if open, err := l.gateIsOpen(); !open {
					return false, err
				}
			}
			l.readers++
			return true, nil
		}

		ok, err := l.try(false)
		if !ok && err == nil {
			ok, err = l.shareGate()
			l.beside = ok
		}

		if ok {
			l.readers = 1
		}
		return ok, err
	})
}

// Unshare undoes Share. It fails with ErrConflict if the data may have changed during the read.
func (l *Lock) Unshare() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers--
	if !l.beside {
		return l.releaseLast()
	}
	err := l.checkNoOtherWriter()
	if l.readers == 0 {
		l.beside = false
		err = errors.Join(err, l.gate.Unlock())
	}
	return err
}

func (l *Lock) releaseLast() error {
	if l.readers > 0 || l.writing || l.lock == nil {
		return nil
	}
	return l.lock.Unlock()
}

// Close releases the lock and the gate. The files stay, like those of C-Blosc2.
func (l *Lock) Close() error {
	errs := []error{l.End()}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lock := range []storage.Lock{l.lock, l.gate} {
		if lock != nil {
			errs = append(errs, lock.Close())
		}
	}
	l.lock = nil
	l.gate = nil
	l.readers = 0
	l.writing = false
	l.gateExclusive = false
	l.beside = false
	l.closed = true
	return errors.Join(errs...)
}
