package ndarray

import (
	"context"
	"sync"
)

type progressKey struct{}

// WithProgress returns a context with which calls of this package and of compute report their
// progress: done of total parts. Reads, writes and fills count the chunks that they touch, passes
// over all blocks and computations on them count runs of blocks, and streams count bytes. done
// grows to total, unless the call fails; a call with nothing to do reports nothing. Calls of
// several steps, such as changes of the shape and reads of joined views, start again with each
// step. Copies use [CopyOptions].Progress instead, and loops over items report nothing.
//
// tell is called by one goroutine at a time, between chunks, so it should return soon. It may
// cancel the context. A nil tell turns reports off, for example for calls inside a visitor.
func WithProgress(ctx context.Context, tell func(done, total int64)) context.Context {
	if tell == nil && ctx.Value(progressKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, tell)
}

// progress is the progress of one call; nil if no one asked for it.
type progress struct {
	mu          sync.Mutex
	tell        func(done, total int64)
	done, total int64
}

// startProgress returns the progress of a call with a number of parts.
func startProgress(ctx context.Context, total int64) *progress {
	if tell, _ := ctx.Value(progressKey{}).(func(done, total int64)); tell != nil {
		return &progress{tell: tell, total: total}
	}
	return nil
}

// add reports that more parts are done.
func (p *progress) add(parts int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += parts
	p.tell(p.done, p.total)
}
