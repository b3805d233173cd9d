package parallel

import (
	"context"
	"slices"
	"sync"
)

// A Mutex is a lock that one can stop waiting for. The zero Mutex is free.
type Mutex struct {
	mu      sync.Mutex
	held    bool
	waiting []*waiter // in the order of their turns
}

type waiter struct {
	turn  chan struct{} // closed when it is worth trying again
	tries int
	owns  bool // the lock was handed over
}

// patience is how often a goroutine that waits may lose the lock to one that comes later. Then it
// is handed over, which costs a switch of goroutines.
const patience = 4

// Lock waits for the lock.
func (m *Mutex) Lock() { _ = m.LockWithin(context.Background()) }

// LockWithin waits for the lock until ctx ends, and then returns the error of ctx. It takes a free
// lock in any case.
func (m *Mutex) LockWithin(ctx context.Context) error {
	if m.try(nil) {
		return nil
	}

	w := &waiter{}
	for !m.try(w) {
		select {
		case <-w.turn:
		case <-ctx.Done():
			m.leave(w)
			return ctx.Err()
		}
	}
	return nil
}

// try takes the lock if it is free, or was handed over to w. Otherwise w, unless it is nil, waits
// for its turn.
func (m *Mutex) try(w *waiter) bool {
	m.mu.Lock()
	defer m.mu.Unlock()

	switch {
	case w != nil && w.owns:
		return true
	case !m.held:
		m.held = true
		return true
	case w != nil:
		w.turn = make(chan struct{})
		place := len(m.waiting)
		if w.tries > 0 {
			place = 0 // it was the first before
		}
		w.tries++
		m.waiting = slices.Insert(m.waiting, place, w)
	}
	return false
}

// leave ends the waiting of w.
func (m *Mutex) leave(w *waiter) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if i := slices.Index(m.waiting, w); i >= 0 {
		m.waiting = slices.Delete(m.waiting, i, i+1)
		return
	}

	if w.owns || !m.held {
		m.release() // it had its turn, so somebody else must get it
	}
}

// Unlock releases the lock.
func (m *Mutex) Unlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.held {
		panic("parallel: unlock of a free Mutex")
	}
	m.release()
}

// release gives the next one its turn. The caller holds mu.
func (m *Mutex) release() {
	m.held = false
	if len(m.waiting) == 0 {
		return
	}

	next := m.waiting[0]
	m.waiting = slices.Delete(m.waiting, 0, 1)
	m.held = next.tries > patience
	next.owns = m.held
	close(next.turn)
}
