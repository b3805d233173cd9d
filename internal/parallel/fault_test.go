package parallel

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// loops are both loops, with a function in place of work or of emit.
var loops = map[string]func(ctx context.Context, workers, n int, f func(worker, i int) error) error{
	"For": For,
	"Ordered work": func(ctx context.Context, workers, n int, f func(worker, i int) error) error {
		return Ordered(ctx, workers, n, f, func(_, _ int) error { return nil })
	},
	"Ordered emit": func(ctx context.Context, workers, n int, f func(worker, i int) error) error {
		return Ordered(ctx, workers, n, func(_, _ int) error { return nil }, f)
	},
}

// recovered runs f and returns the value with which it panicked.
func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestPanicReachesTheCallerAfterEveryWorkerHasEnded(t *testing.T) {
	type own struct{ error }
	want := &own{errors.New("the caller's")}
	for name, loop := range loops {
		for _, workers := range []int{1, 2, 4, 16} {
			for _, at := range []int{0, 1, 17, 99} {
				var inside atomic.Int32
				value := recovered(func() {
					err := loop(t.Context(), workers, 100, func(_, i int) error {
						inside.Add(1)
						defer inside.Add(-1)
						if i == at {
							panic(want)
						}
						runtime.Gosched()
						return nil
					})
					t.Errorf("%s: returned %v", name, err)
				})
				if value != any(want) {
					t.Fatalf("%s, %d workers, job %d: recovered %v", name, workers, at, value)
				}
				if n := inside.Load(); n != 0 {
					t.Fatalf("%s, %d workers, job %d: %d calls are still under way", name, workers, at, n)
				}
			}
		}
	}
}

func TestEveryWorkerMayPanicAtOnce(t *testing.T) {
	for name, loop := range loops {
		for range 50 {
			value := recovered(func() { _ = loop(t.Context(), 8, 64, func(_, _ int) error { panic("all") }) })
			if value != any("all") {
				t.Fatalf("%s: recovered %v", name, value)
			}
		}
	}
}

func TestGoexitOfAJobEndsTheCallersGoroutine(t *testing.T) {
	for name, loop := range loops {
		for _, workers := range []int{1, 4} {
			for _, at := range []int{0, 30} {
				returned, running, left := false, atomic.Int32{}, int32(-1)
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() { left = running.Load() }()
					_ = loop(t.Context(), workers, 60, func(_, i int) error {
						running.Add(1)
						defer running.Add(-1)
						if i == at {
							runtime.Goexit() // as t.FailNow does
						}
						return nil
					})
					returned = true
				}()
				<-done
				if returned || left != 0 {
					t.Fatalf("%s, %d workers: returned %v, with %d jobs under way", name, workers, returned, left)
				}
			}
		}
	}
}

func TestNestedLoopsPassAPanicOn(t *testing.T) {
	value := recovered(func() {
		_ = Ordered(t.Context(), 3, 9, func(_, i int) error {
			return For(t.Context(), 3, 9, func(_, k int) error {
				if i == 4 && k == 5 {
					panic("inside")
				}
				return nil
			})
		}, func(_, _ int) error { return nil })
	})
	if value != any("inside") {
		t.Fatalf("recovered %v", value)
	}
}

func TestStartPassesAPanicOn(t *testing.T) {
	wait := Start(func() {})
	wait()
	wait = Start(func() { panic("there") })
	if value := recovered(wait); value != any("there") {
		t.Fatalf("recovered %v", value)
	}
}

func TestUnrecoveredPanicShowsItsStack(t *testing.T) {
	if os.Getenv("PARALLEL_PANICS") != "" {
		other := make(chan struct{})
		_ = For(t.Context(), 2, 1000, func(worker, _ int) error {
			if worker == 1 {
				close(other)
				placeOfThePanic()
			}
			<-other
			return nil
		})
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestUnrecoveredPanicShowsItsStack$")
	c.Env = append(os.Environ(), "PARALLEL_PANICS=1")
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "placeOfThePanic") || !strings.Contains(string(out), "a value of the caller's") {
		t.Fatalf("%v\n%s", err, out)
	}
}

//go:noinline
func placeOfThePanic() { panic("a value of the caller's") }
