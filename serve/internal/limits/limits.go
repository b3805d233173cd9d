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
	Memory *Quota        // of all requests together
	Slow   *Slow         // requests whose clients are slow; nil means that none are set aside
}

// ErrTooLarge is matched by errors of requests that ask for more than the limits allow, ever.
var ErrTooLarge = fmt.Errorf("more than this server allows: %w", cairn.ErrLimit)

// ErrBusy is matched by errors of requests that waited too long for others to end.
var ErrBusy = errors.New("the server is busy; try again")

// A Quota is an amount of memory that requests take parts of, in the order in which they ask. The
// methods may be called by several goroutines.
type Quota struct {
	size    int64
	maxWait time.Duration

	mu      sync.Mutex
	used    int64
	waiting list.List // of *waiter
}

type waiter struct {
	bytes int64
	ready chan struct{}
}

// NewQuota returns a quota of some bytes, for which a request waits at most so long.
func NewQuota(bytes int64, maxWait time.Duration) *Quota {
	return &Quota{size: bytes, maxWait: maxWait}
}

// Size returns the bytes of the quota.
func (q *Quota) Size() int64 { return q.size }

// Used returns the bytes that requests have now.
func (q *Quota) Used() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used
}

// Take takes some bytes, which the caller gives back by the function that it gets, once. It waits
// while others have them. It fails with ErrTooLarge if there will never be so many, and with
// ErrBusy after a while. A request that has bytes must not take more before it gives these back.
// One that needs more than the client's own quota takes all of that, so it is alone.
func (q *Quota) Take(ctx context.Context, bytes int64) (release func(), err error) {
	r, _ := ctx.Value(requestKey{}).(*Request)
	if r == nil {
		return q.take(ctx, bytes)
	}

	releaseOwn, err := r.take(ctx, bytes)
	if err != nil {
		return nil, err
	}

	releaseAll, err := q.take(ctx, bytes)
	if err != nil {
		releaseOwn()
		return nil, err
	}
	return func() { releaseAll(); releaseOwn() }, nil
}

func (q *Quota) take(ctx context.Context, bytes int64) (release func(), err error) {
	if bytes > q.size || bytes < 0 {
		return nil, fmt.Errorf("%d bytes of memory are needed, %d are there: %w", bytes, q.size, ErrTooLarge)
	}

	q.mu.Lock()
	if q.waiting.Len() == 0 && q.used+bytes <= q.size {
		q.used += bytes
		q.mu.Unlock()
		return q.releaser(bytes), nil
	}

	w := &waiter{bytes, make(chan struct{})}
	at := q.waiting.PushBack(w)
	q.mu.Unlock()

	timer := time.NewTimer(q.maxWait)
	defer timer.Stop()

	select {
	case <-w.ready:
		return q.releaser(bytes), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = ErrBusy
	}
	return nil, q.stopWaiting(at, err)
}

// stopWaiting ends the waiting of a request, which may have got its bytes in the meantime.
func (q *Quota) stopWaiting(at *list.Element, err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()

	w := at.Value.(*waiter)
	select {
	case <-w.ready:
		q.used -= w.bytes
	default:
		q.waiting.Remove(at)
	}

	q.grant()
	return err
}

// grant gives bytes to those who have waited longest. The caller holds the lock.
func (q *Quota) grant() {
	for at := q.waiting.Front(); at != nil; at = q.waiting.Front() {
		w := at.Value.(*waiter)
		if q.used+w.bytes > q.size {
			return
		}
		q.used += w.bytes
		q.waiting.Remove(at)
		close(w.ready)
	}
}

func (q *Quota) releaser(bytes int64) func() {
	var once sync.Once
	return func() { once.Do(func() { q.give(bytes) }) }
}

// give takes bytes back.
func (q *Quota) give(bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= bytes
	q.grant()
}
