package locking

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
)

// A writer holds the lock from its first change to the end of its transaction, so that no other
// writer stages changes at the same place. Staged changes never overwrite committed bytes, so
// readers do not need the lock while the writer is of this module; C-Blosc2, however, changes
// committed bytes. A writer of this module therefore opens a gate for readers, in a second file: it
// writes the counter of the lock plus 1; 0 means closed. A reader that finds the lock taken and
// this number in the gate takes a shared lock of the gate instead. Before the writer publishes a
// commit or releases the lock, it closes the gate and waits for the readers that share it.
//
// A killed writer leaves the gate open, and C-Blosc2 may take the lock next. It increments the
// counter before it writes, so a reader that finds the counter unchanged at its end was not
// disturbed.

const gateSuffix = "-gate" // appended to the name of the lock file

// shareGate shares the gate if the writer that holds the lock has opened it.
func (l *Lock) shareGate() (bool, error) {
	if err := l.open(&l.gate, l.name+gateSuffix); err != nil {
		return false, err
	}
	if ok, err := l.gate.TryLock(false); !ok {
		return false, err
	}
	err := l.checkCounter()
	open := false
	if err == nil {
		open, err = l.gateIsOpen()
	}
	if open {
		return true, nil
	}
	return false, errors.Join(err, l.gate.Unlock())
}

// gateIsOpen reports whether the gate is open for the counter that this handle saw last.
func (l *Lock) gateIsOpen() (bool, error) {
	said, err := number(l.gate)
	return err == nil && said == l.seen+1, err
}

// checkNoOtherWriter fails if another writer took the lock while this handle shared the gate.
func (l *Lock) checkNoOtherWriter() error {
	count, err := number(l.lock)
	if err == nil && count != l.seen {
		err = fmt.Errorf("%s: another writer may have changed the data during the read: %w: read again",
			l.name, cairn.ErrConflict)
	}
	return err
}

// openGate admits readers while this handle writes.
func (l *Lock) openGate() error {
	if err := l.open(&l.gate, l.name+gateSuffix); err != nil {
		return err
	}
	return setNumber(l.gate, l.seen+1)
}

// closeGate closes the gate to further readers, and waits for those that share it.
func (l *Lock) closeGate(ctx context.Context) error {
	return l.wait(ctx, func() (bool, error) {
		if l.gateExclusive {
			return true, nil
		}
		if err := setNumber(l.gate, 0); err != nil {
			return false, err
		}
		ok, err := l.gate.TryLock(true)
		l.gateExclusive = ok
		return ok, err
	})
}

// ExcludeReaders closes the gate, waits for readers, and increments the counter for the commit that
// follows. Without a lock, or for a frame that is not published yet, it does nothing.
func (l *Lock) ExcludeReaders(ctx context.Context) error {
	if l == nil || !l.Holds() {
		return nil
	}
	err := l.closeGate(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		return errors.Join(err, l.openGate())
	}
	if l.counted {
		return nil
	}
	err = l.count()
	l.counted = err == nil
	return err
}

// AdmitReaders opens the gate again after ExcludeReaders, within the same transaction.
func (l *Lock) AdmitReaders() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.gateExclusive {
		return nil
	}
	l.gateExclusive = false
	l.counted = false
	return errors.Join(l.openGate(), l.gate.Unlock())
}

// closeGateBriefly closes the gate, but waits only Briefly for readers that share it: they detect
// by the counter whether another writer disturbed them.
func (l *Lock) closeGateBriefly() error {
	brief, cancel := context.WithTimeout(context.Background(), Briefly)
	defer cancel()
	if err := l.closeGate(brief); !errors.Is(err, cairn.ErrLocked) {
		return err
	}
	return nil
}
