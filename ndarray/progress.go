package ndarray

import (
	"context"
	"sync"
)

type progressKey struct{}

// WithProgress returns a context with which calls of this package and of compute tell how far they
// are: done of total parts. Reads, writes and fills count the chunks that they meet, passes over
// all blocks and what is computed by them count runs of blocks, streams count bytes. done grows to
// total, unless the call fails; a call that has nothing to do tells nothing. Calls that take
// several steps, such as changes of the shape and reads of joined views, begin anew with each step.
// Copies have [CopyOptions].Progress instead, and loops over items, which can count for themselves,
// tell nothing.
//
// tell is called by one goroutine at a time, in between chunks, so it should return soon; it may
// cancel the context. With nil, calls tell nothing: for calls inside of a function that is called
// with items.
func WithProgress(ctx context.Context, tell func(done, total int64)) context.Context {
	if tell == nil && ctx.Value(progressKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, tell)
}

// progress is how far one call is. Nil is that of a call that nobody follows.
type progress struct {
	mu          sync.Mutex
	tell        func(done, total int64)
	done, total int64
}

// follow returns the progress of a call of a number of parts.
func follow(ctx context.Context, total int64) *progress {
	if tell, _ := ctx.Value(progressKey{}).(func(done, total int64)); tell != nil {
		return &progress{tell: tell, total: total}
	}
	return nil
}

// add tells that some parts more are done.
func (p *progress) add(parts int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += parts
	p.tell(p.done, p.total)
}
