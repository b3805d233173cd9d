package ndarray_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestWaitingEndsWithTheContext makes calls with a context that has ended while a write of another
// goroutine goes on, which they would have to wait for.
func TestWaitingEndsWithTheContext(t *testing.T) {
	a, err := ndarray.New[int32](ndarray.Shape{8}, &ndarray.Options{ChunkShape: ndarray.Shape{4}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	started, release, done := make(chan bool), make(chan bool), make(chan error)
	go func() {
		first := true
		slow := ndarray.WithProgress(t.Context(), func(_, _ int64) {
			if first {
				close(started)
				<-release
			}
			first = false
		})
		done <- a.Write(slow, make([]int32, 8))
	}()
	<-started
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func() error { return nil }
	calls := map[string]func() error{
		"write":      func() error { return a.Write(ended, []int32{1}, ndarray.Index(1)) },
		"fill":       func() error { return a.Fill(ended, 1) },
		"append":     func() error { return a.Append(ended, 0, []int32{1}) },
		"resize":     func() error { return a.Resize(ended, ndarray.Shape{9}, nil) },
		"commit":     func() error { return a.Commit(ended) },
		"atomically": func() error { return a.Atomically(ended, nothing) },
		"refresh":    func() error { _, err := a.Refresh(ended); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	err = a.Atomically(t.Context(), func() error {
		within, cancel := context.WithCancel(t.Context())
		cancel()
		if err := a.Atomically(within, nothing); !errors.Is(err, context.Canceled) {
			t.Errorf("nested: %v", err)
		}
		return a.Set(7, 3) // writes are still buffered, and part of the transaction
	})
	if err != nil {
		t.Fatal(err)
	}
	if value, err := a.At(3); value != 7 || err != nil {
		t.Error(value, err)
	}
}
