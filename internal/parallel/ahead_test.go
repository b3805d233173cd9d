package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestAheadWaitsForALowJob makes job 0 last until all jobs that may start have started.
func TestAheadWaitsForALowJob(t *testing.T) {
	const ahead, n = 10, 1000
	var begun, ended atomic.Int64
	var most int64
	var mu sync.Mutex
	err := Ahead(t.Context(), 4, n, ahead, func(_, i int) error {
		begun.Add(1)
		if i == 0 {
			for range 10_000 {
				runtime.Gosched()
			}
			for begun.Load() < ahead {
				runtime.Gosched()
			}
			if got := begun.Load(); got != ahead {
				t.Errorf("%d jobs have begun before job 0 ended", got)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		most = max(most, ended.Add(1))
		return nil
	})
	if err != nil || most != n {
		t.Fatalf("%d jobs, %v", most, err)
	}
}

func TestAheadEndsWhenALowJobFails(t *testing.T) {
	failure := errors.New("low")
	for range 100 {
		err := Ahead(t.Context(), 4, 1000, 4, func(_, i int) error {
			runtime.Gosched()
			if i == 3 {
				return failure
			}
			return nil
		})
		if !errors.Is(err, failure) {
			t.Fatal(err)
		}
	}
	func() {
		defer func() {
			if got := recover(); got != "low" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = Ahead(t.Context(), 4, 1000, 4, func(_, i int) error {
			if i == 3 {
				panic("low")
			}
			return nil
		})
	}()
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		err := Ahead(ctx, 4, 1000, 4, func(_, i int) error {
			if runtime.Gosched(); i == 50 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
