package locking

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
)

// A writer has the lock from its first change to the end of its transaction, so that nobody writes
// where it stages changes. That is never where anything committed is, so readers could do without
// the lock, if only they knew that a writer of this module has it: C-Blosc2 changes what is
// committed. Therefore the writer says so in a second file, the gate: it holds the counter of the
// lock, and 1 more so that 0 means closed. A reader that finds the lock taken and this number in
// the gate shares the gate instead. The writer closes it, and waits for those who share it, before
// it publishes a commit or gives the lock back.
//
// A writer that is killed leaves the gate open, and one of C-Blosc2 may have the lock next. It
// counts before it writes, so a reader that finds the same count in the end has met no such writer.

const gateSuffix = "-gate" // behind the name of the lock

// tryBeside shares the gate if a writer who has the lock has opened it.
func (l *Lock) tryBeside() (bool, error) {
	if err := l.open(&l.gate, l.name+gateSuffix); err != nil {
		return false, err
	}
	if ok, err := l.gate.TryLock(false); !ok {
		return false, err
	}
	err := l.look()
	open := false
	if err == nil {
		open, err = l.gateIsOpen()
	}
	if open {
		return true, nil
	}
	return false, errors.Join(err, l.gate.Unlock())
}

// gateIsOpen reports whether the gate has the number of the state that this handle saw.
func (l *Lock) gateIsOpen() (bool, error) {
	said, err := number(l.gate)
	return err == nil && said == l.seen+1, err
}

// undisturbed fails if a writer came while this handle was beside another one.
func (l *Lock) undisturbed() error {
	count, err := number(l.lock)
	if err == nil && count != l.seen {
		err = fmt.Errorf("%s: a writer ended in the middle of a read, and another one came: %w: read again",
			l.name, cairn.ErrConflict)
	}
	return err
}

// openGate lets readers beside this writer.
func (l *Lock) openGate() error {
	if err := l.open(&l.gate, l.name+gateSuffix); err != nil {
		return err
	}
	return setNumber(l.gate, l.seen+1)
}

// closeGate lets no further readers beside this writer, and waits for those who are there.
func (l *Lock) closeGate(ctx context.Context) error {
	return l.wait(ctx, func() (bool, error) {
		if l.alone {
			return true, nil
		}
		if err := setNumber(l.gate, 0); err != nil {
			return false, err
		}
		ok, err := l.gate.TryLock(true)
		l.alone = ok
		return ok, err
	})
}

// ExcludeReaders waits until nobody reads beside this writer, and counts what it is about to
// publish. Without a lock, or if nobody can know of the frame yet, it does nothing.
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

// AdmitReaders ends ExcludeReaders although the transaction goes on.
func (l *Lock) AdmitReaders() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.alone {
		return nil
	}
	l.alone, l.counted = false, false
	return errors.Join(l.openGate(), l.gate.Unlock())
}

// sendAway closes the gate, but waits Briefly only for those who are beside this writer: they
// notice whether another one comes.
func (l *Lock) sendAway() error {
	brief, cancel := context.WithTimeout(context.Background(), Briefly)
	defer cancel()
	if err := l.closeGate(brief); !errors.Is(err, cairn.ErrLocked) {
		return err
	}
	return nil
}
