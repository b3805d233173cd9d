package parallel

import (
	"context"
	"sync"
)

// Ahead is For for jobs whose results are consumed in order: job i starts only when all jobs up to
// i-ahead have ended, so that at most ahead results are pending even if one job takes very long.
// ahead must be at least the number of workers.
func Ahead(ctx context.Context, workers, n, ahead int, work func(worker, i int) error) error {
	workers = min(workers, n)
	if workers <= 1 || ahead >= n {
		return For(ctx, workers, n, work)
	}

	w := window{ended: make([]bool, max(ahead, workers))}
	w.cond.L = &w.mu

	// When ctx is done, For would skip jobs that others wait for.
	return For(context.WithoutCancel(ctx), workers, n, func(worker, i int) error {
		if !w.begin(i) {
			return errAborted // the job that failed has a lower index, and For returns its error
		}

		done := false
		defer func() {
			// Record that job i has ended.
			w.mu.Lock()
			defer w.mu.Unlock()
			if !done {
				w.aborted = true
				w.cond.Broadcast()
				return
			}

			w.ended[i%len(w.ended)] = true
			if i != w.lowest {
				return
			}

			for w.ended[w.lowest%len(w.ended)] {
				w.ended[w.lowest%len(w.ended)] = false
				w.lowest++
			}
			w.cond.Broadcast()
		}()

		if err := ctx.Err(); err != nil {
			return err
		}

		err := work(worker, i)
		done = err == nil
		return err
	})
}

// window prevents jobs from starting too early.
type window struct {
	mu      sync.Mutex
	cond    sync.Cond
	lowest  int    // lowest job that has not ended
	ended   []bool // by job number modulo the length, for jobs from lowest on
	aborted bool
}

// begin waits until job i may start, and returns false if another job has failed.
func (w *window) begin(i int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i >= w.lowest+len(w.ended) && !w.aborted {
		w.cond.Wait()
	}
	return i < w.lowest+len(w.ended)
}
