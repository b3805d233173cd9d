// Package limits bounds what requests may cost: bytes and time of each, and memory of all together.
package limits

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairn-go/cairn"
)

// Limits bound one request. All fields are positive.
type Limits struct {
	Bytes  int64         // of items in one answer
	Items  int64         // points, entries and the like that one request may name
	Time   time.Duration // until an answer must be complete
	Memory *Ration       // of all requests together
}

// ErrTooLarge is matched by errors of requests that ask for more than the limits allow, ever.
var ErrTooLarge = fmt.Errorf("more than this server allows: %w", cairn.ErrLimit)

// ErrBusy is matched by errors of requests that waited too long for others to end.
var ErrBusy = errors.New("the server is busy; try again")

// A Ration is an amount of memory that requests take parts of, in the order in which they ask. The
// methods may be called by several goroutines.
type Ration struct {
	size    int64
	patient time.Duration

	mu      sync.Mutex
	used    int64
	waiting list.List // of *waiter
}

type waiter struct {
	bytes int64
	ready chan struct{}
}

// NewRation returns a ration of some bytes, for which a request waits at most so long.
func NewRation(bytes int64, patience time.Duration) *Ration {
	return &Ration{size: bytes, patient: patience}
}

// Size returns the bytes of the ration.
func (r *Ration) Size() int64 { return r.size }

// Used returns the bytes that requests have now.
func (r *Ration) Used() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

type clientKey struct{}

// WithClient returns a context for a request of a client that has a ration of its own, of which it
// takes all that it takes of another one.
func WithClient(ctx context.Context, own *Ration) context.Context {
	return context.WithValue(ctx, clientKey{}, own)
}

// Take takes some bytes, which the caller gives back by the function that it gets, once. It waits
// while others have them. It fails with ErrTooLarge if there will never be so many, and with
// ErrBusy after a while. A request that has bytes must not take more before it gives these back.
// One that needs more than the client's own ration takes all of that, so it is alone.
func (r *Ration) Take(ctx context.Context, bytes int64) (giveBack func(), err error) {
	own, _ := ctx.Value(clientKey{}).(*Ration)
	if own == nil {
		return r.take(ctx, bytes)
	}

	giveOwn, err := own.take(ctx, min(bytes, own.size))
	if err != nil {
		return nil, err
	}

	give, err := r.take(ctx, bytes)
	if err != nil {
		giveOwn()
		return nil, err
	}
	return func() { give(); giveOwn() }, nil
}

func (r *Ration) take(ctx context.Context, bytes int64) (giveBack func(), err error) {
	if bytes > r.size || bytes < 0 {
		return nil, fmt.Errorf("%d bytes of memory are needed, %d are there: %w", bytes, r.size, ErrTooLarge)
	}

	r.mu.Lock()
	if r.waiting.Len() == 0 && r.used+bytes <= r.size {
		r.used += bytes
		r.mu.Unlock()
		return r.giver(bytes), nil
	}

	w := &waiter{bytes, make(chan struct{})}
	at := r.waiting.PushBack(w)
	r.mu.Unlock()

	patience := time.NewTimer(r.patient)
	defer patience.Stop()

	select {
	case <-w.ready:
		return r.giver(bytes), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience.C:
		err = ErrBusy
	}
	return nil, r.leave(at, err)
}

// leave ends the waiting of a request, which may have got its bytes in the meantime.
func (r *Ration) leave(at *list.Element, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()

	w := at.Value.(*waiter)
	select {
	case <-w.ready:
		r.used -= w.bytes
	default:
		r.waiting.Remove(at)
	}

	r.serve()
	return err
}

// serve gives bytes to those who have waited longest. The caller holds the lock.
func (r *Ration) serve() {
	for at := r.waiting.Front(); at != nil; at = r.waiting.Front() {
		w := at.Value.(*waiter)
		if r.used+w.bytes > r.size {
			return
		}
		r.used += w.bytes
		r.waiting.Remove(at)
		close(w.ready)
	}
}

func (r *Ration) giver(bytes int64) func() {
	var once sync.Once
	return func() {
		once.Do(func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.used -= bytes
			r.serve()
		})
	}
}
