// Package parallel runs bounded loops with a fixed number of workers, each with its own state. They
// return the error of the lowest failed index, and check the context between jobs. No goroutine
// outlives a call.
//
// If a function panics, or calls [runtime.Goexit] like t.FailNow, the loop stops: no new job
// starts, and when all workers have ended the call panics with the same value, or ends the calling
// goroutine. Of several faults the first counts. The stack of the goroutine that panicked is
// printed if nobody recovers.
package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers turns a worker option into a count: zero or less means one per available CPU.
func Workers(option int) int {
	if option > 0 {
		return option
	}
	return runtime.GOMAXPROCS(0)
}

// For calls work(worker, i) for every i in [0, n) on up to workers goroutines. worker is in [0,
// workers) and no two calls with the same worker overlap, so it can select per-worker state. After
// a failure no new job starts; the error of the lowest failed index is returned. With one worker
// everything runs on the calling goroutine.
func For(ctx context.Context, workers, n int, work func(worker, i int) error) error {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := work(0, i); err != nil {
				return err
			}
		}
		return nil
	}

	l := loop{ctx: ctx, n: int64(n), failedAt: int64(n)}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { l.faults.watch(func() { l.run(w, work) }) })
	}

	// The runtime runs the goroutine that was started last on this thread, and other threads steal
	// it only after about 50 µs, which is significant for many loops here. So the last one has no
	// work.
	wg.Go(func() {})

	func() {
		defer wg.Wait() // even if work panics here
		l.run(0, work)
	}()
	l.faults.raise()
	return l.err
}

type loop struct {
	ctx  context.Context
	n    int64
	next atomic.Int64

	faults faults

	mu       sync.Mutex
	failedAt int64 // lowest failed index, or n
	err      error
	stopped  atomic.Bool
}

func (l *loop) run(worker int, work func(worker, i int) error) {
	defer l.stopped.Store(true) // no more jobs may start, or work did not return
	for !l.stopped.Load() {
		i := l.next.Add(1) - 1
		if i >= l.n {
			return
		}

		if err := l.ctx.Err(); err != nil {
			l.fail(i, err)
			return
		}
		if err := work(worker, int(i)); err != nil {
			l.fail(i, err)
			return
		}
	}
}

func (l *loop) fail(i int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if i < l.failedAt {
		l.failedAt = i
		l.err = err
	}
	l.stopped.Store(true)
}

// Ordered is For with an additional call of emit(worker, i) after each work(worker, i). Calls of
// emit do not overlap and are in the order of i, whatever the number of workers. A worker starts
// its next job only after its emit, so work can pass its own buffer to emit. After a failure emit
// is not called any more.
func Ordered(ctx context.Context, workers, n int, work, emit func(worker, i int) error) error {
	workers = min(workers, n)
	if workers <= 1 {
		return For(ctx, 1, n, func(worker, i int) error {
			if err := work(worker, i); err != nil {
				return err
			}
			return emit(worker, i)
		})
	}

	unlessDone := func(worker, i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return work(worker, i)
	}

	t := turnstile{}
	t.cond.L = &t.mu
	// Every job that starts must pass the turnstile, or later jobs would wait forever. So For gets
	// a context that is never done, and the caller's is checked where the error passes the
	// turnstile.
	return For(context.WithoutCancel(ctx), workers, n, func(worker, i int) error {
		returned := false
		defer func() {
			if !returned {
				t.abort()
			}
		}()

		err := t.pass(i, unlessDone(worker, i), func() error { return emit(worker, i) })
		returned = true
		return err
	})
}

// errAborted ends the jobs that wait for one that panicked. It is never returned to callers.
var errAborted = errors.New("parallel: another job panicked")

// turnstile lets jobs pass in the order of their indexes.
type turnstile struct {
	mu   sync.Mutex
	cond sync.Cond
	turn int
	err  error // first failure; no later job passes
}

// pass waits for the turn of job i and runs emit, unless job i or an earlier one failed.
func (t *turnstile) pass(i int, workErr error, emit func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.turn != i && t.err == nil {
		t.cond.Wait()
	}

	if t.err != nil {
		return t.err
	}

	err := workErr
	if err == nil {
		err = emit()
	}

	t.err = err
	t.turn++
	t.cond.Broadcast()
	return err
}

// abort stops all jobs from passing.
func (t *turnstile) abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = errAborted
	}
	t.cond.Broadcast()
}
