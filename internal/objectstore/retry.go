package objectstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	longestPause = 10 * time.Second
	longestWait  = time.Minute // that a store may ask for
	slowest      = 256 << 10   // bytes a second that an attempt may count on
)

// try makes a request until it succeeds, fails for good, or has failed too often. An attempt may
// take as long as n bytes need.
func (b *bucket) try(ctx context.Context, n int, request func(context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := b.once(ctx, n, request)
		if err == nil || !b.again(ctx, attempt, err) {
			return ended(ctx, err)
		}
	}
}

// once makes one attempt.
func (b *bucket) once(ctx context.Context, n int, request func(context.Context) error) error {
	select {
	case b.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.slots }()

	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, b.patience+time.Duration(n)*time.Second/slowest)
	defer cancel()
	return request(ctx)
}

// again waits before another attempt. It returns false if there should be none.
func (b *bucket) again(ctx context.Context, attempt int, err error) bool {
	if k := kindOf(err); k != Busy && k != Doubtful || attempt >= b.attempts || ctx.Err() != nil {
		return false
	}

	pause := min(b.pause<<(attempt-1), longestPause)
	pause = pause/2 + rand.N(pause/2+1) // so that those who failed together do not return together
	var f *Failure
	if errors.As(err, &f) {
		pause = max(pause, min(f.Wait, longestWait))
	}

	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// ended returns the error of ctx if it is done: what a request says then is its consequence.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
