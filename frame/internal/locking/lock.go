// Package locking lets handles in several processes take turns in changing a frame, and lets
// readers read beside a writer that only stages changes.
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

// Lock is the lock of a frame, as C-Blosc2 has it too (docs/format/frame.md#lock): a file beside a
// contiguous frame or in the directory of a sparse one. Writers hold it alone, readers together; it
// counts the writers, so that everybody sees that somebody wrote. Readers of this module need not
// wait for a writer of it that only stages changes (beside.go). All of a handle is one holder,
// because the system would take a second lock of the same file for a change of the first.
type Lock struct {
	fs       storage.Locker
	name     string
	patience time.Duration // that no wait exceeds; 0 means what its context says

	mu      sync.Mutex
	lock    storage.Lock // nil until it is needed
	gate    storage.Lock // of readers beside a writer, a file of its own; nil until it is needed
	readers int          // of this handle, that hold the lock, or the gate
	beside  bool         // they hold the gate
	// this handle holds the lock alone; with readers besides, it may be for their sake only
	writing bool
	alone   bool   // it holds the gate alone too
	counted bool   // it has counted, as it is about to write
	eager   bool   // a writer of this handle waits, which readers let go first
	seen    uint64 // the counter when the lock was held last
	closed  bool

	Stale atomic.Bool // another writer was here since the handle was brought up to date
}

const (
	lockSuffix = ".b2lock"
	counterAt  = 8 // behind the byte that Windows locks; in the machine's own byte order
)

// Briefly is how long to wait for the lock only to tidy up.
const Briefly = 100 * time.Millisecond

// New returns the lock of a frame, which does not touch the disk yet.
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

// How long the lock is left alone between two attempts. Another process may hold it for the time of
// a change again and again, with next to nothing between, so attempts must not become rare.
const (
	leastPause = 20 * time.Microsecond
	mostPause  = time.Millisecond
)

// wait calls try until it succeeds. The caller does not hold the mutex, try does.
func (l *Lock) wait(ctx context.Context, try func() (bool, error)) error {
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

func (l *Lock) locked(try func() (bool, error)) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return try()
}

// open opens a lock, unless it is open.
func (l *Lock) open(lock *storage.Lock, name string) (err error) {
	if l.closed {
		return cairn.ErrClosed
	}
	if *lock == nil {
		*lock, err = l.fs.OpenLock(name)
	}
	return err
}

// try takes the lock if nobody else has it, and looks at the counter.
func (l *Lock) try(exclusive bool) (bool, error) {
	if err := l.open(&l.lock, l.name); err != nil {
		return false, err
	}
	if ok, err := l.lock.TryLock(exclusive); !ok {
		return false, err
	}
	if err := l.look(); err != nil {
		return false, errors.Join(err, l.lock.Unlock())
	}
	return true, nil
}

// look compares the counter with what it was.
func (l *Lock) look() error {
	count, err := number(l.lock)
	if err == nil && count != l.seen {
		l.Stale.Store(true)
		l.seen = count
	}
	return err
}

// count tells others that this handle is about to write.
func (l *Lock) count() error {
	err := setNumber(l.lock, l.seen+1)
	if err == nil {
		l.seen++
	}
	return err
}

// number returns the number in the file of a lock, 0 if there is none.
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

// Begin takes the lock alone, unless this handle has it by then, and lets readers beside it.
func (l *Lock) Begin(ctx context.Context) error {
	err := l.wait(ctx, func() (bool, error) {
		if l.eager = l.readers > 0; l.writing || l.eager {
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
	l.eager = false
	return err
}

// Holds reports whether this handle has the lock alone.
func (l *Lock) Holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writing
}

// End gives the lock back, unless readers of this handle still need it: then the last of them does.
func (l *Lock) End() error {
	if !l.Holds() {
		return nil
	}
	err := l.sendAway()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing, l.counted = false, false
	err = errors.Join(err, l.releaseLast())
	if l.alone {
		l.alone = false
		err = errors.Join(err, l.gate.Unlock())
	}
	return err
}

// Share takes the lock together with other readers, this handle's among them, or besides this
// handle's own writer, or the gate beside another one that stages changes.
//
// A writer that wants to publish comes before further readers of a handle that has readers already,
// or these could join each other for ever; but only for a moment, since one of them may be a read
// in the middle of another one, which the writer waits for.
func (l *Lock) Share(ctx context.Context) error {
	began := time.Now()
	return l.wait(ctx, func() (bool, error) {
		if l.readers > 0 || l.writing {
			if l.eager && !l.writing {
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
			ok, err = l.tryBeside()
			l.beside = ok
		}
		if ok {
			l.readers = 1
		}
		return ok, err
	})
}

// Unshare ends Share. It fails with ErrConflict if what was read may have been changed.
func (l *Lock) Unshare() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers--
	if !l.beside {
		return l.releaseLast()
	}
	err := l.undisturbed()
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

// Close gives everything back. The files stay, as C-Blosc2 leaves its own.
func (l *Lock) Close() error {
	errs := []error{l.End()}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lock := range []storage.Lock{l.lock, l.gate} {
		if lock != nil {
			errs = append(errs, lock.Close())
		}
	}
	l.lock, l.gate, l.readers, l.writing, l.alone, l.beside = nil, nil, 0, false, false, false
	l.closed = true
	return errors.Join(errs...)
}
