package parallel

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
)

func TestForRunsEveryIndexOnceWithExclusiveWorkers(t *testing.T) {
	for _, workers := range []int{1, 2, 8, 100} {
		const n = 1000
		var seen [n]atomic.Int32
		busy := make([]atomic.Bool, workers)
		err := For(t.Context(), workers, n, func(worker, i int) error {
			if !busy[worker].CompareAndSwap(false, true) {
				return fmt.Errorf("worker %d runs two jobs at once", worker)
			}
			seen[i].Add(1)
			busy[worker].Store(false)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range seen {
			if got := seen[i].Load(); got != 1 {
				t.Fatalf("workers %d: index %d ran %d times", workers, i, got)
			}
		}
	}
}

func TestForReturnsTheErrorOfTheLowestIndex(t *testing.T) {
	for range 200 {
		err := For(t.Context(), 8, 100, func(_, i int) error {
			if i%7 == 3 {
				return fmt.Errorf("job %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "job 3" {
			t.Fatalf("got %v, want job 3", err)
		}
	}
}

func TestCancelledContextStopsBothLoops(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var ran atomic.Int32
		job := func(_, i int) error {
			if ran.Add(1) == 10 {
				cancel()
			}
			return nil
		}
		if err := For(ctx, workers, 1000, job); !errors.Is(err, context.Canceled) {
			t.Fatalf("For: %v", err)
		}
		if n := ran.Load(); n > 10+int32(workers) {
			t.Fatalf("For started %d jobs after the context ended", n-10)
		}
		ctx, cancel = context.WithCancel(t.Context())
		ran.Store(0)
		if err := Ordered(ctx, workers, 1000, job, func(_, _ int) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Fatalf("Ordered: %v", err)
		}
		cancel()
	}
}

func TestOrderedEmitsInOrderAndStopsAtTheFirstFailure(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		for _, failAt := range []int{-1, 0, 57} {
			var emitted []int
			buffer := make([]int, workers)
			err := Ordered(t.Context(), workers, 200,
				func(worker, i int) error {
					if i == failAt {
						return errors.New("work failed")
					}
					buffer[worker] = i
					return nil
				},
				func(worker, i int) error {
					if buffer[worker] != i {
						return fmt.Errorf("emit %d sees the buffer of job %d", i, buffer[worker])
					}
					emitted = append(emitted, i)
					return nil
				})
			want := 200
			if failAt >= 0 {
				want = failAt
				if err == nil || err.Error() != "work failed" {
					t.Fatalf("workers %d fail at %d: error %v", workers, failAt, err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if len(emitted) != want {
				t.Fatalf("workers %d fail at %d: %d emits, want %d", workers, failAt, len(emitted), want)
			}
			for i, v := range emitted {
				if i != v {
					t.Fatalf("emit %d came as number %d", v, i)
				}
			}
		}
	}
}
