package limits

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestTake(t *testing.T) {
	r := NewQuota(100, 20*time.Millisecond)
	first, err := r.Take(t.Context(), 60)
	if err != nil || r.Used() != 60 {
		t.Fatalf("%d bytes used: %v", r.Used(), err)
	}
	if _, err := r.Take(t.Context(), 60); !errors.Is(err, ErrBusy) {
		t.Errorf("more than is left: %v", err)
	}
	if _, err := r.Take(t.Context(), 101); !errors.Is(err, ErrTooLarge) {
		t.Errorf("more than there is: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Take(ctx, 60); !errors.Is(err, context.Canceled) {
		t.Errorf("after the client went away: %v", err)
	}
	first()
	first() // does nothing
	if r.Used() != 0 {
		t.Errorf("%d bytes are still used", r.Used())
	}
}

// TestOrder checks that a large request is not overtaken for ever by small ones.
func TestOrder(t *testing.T) {
	r := NewQuota(100, 10*time.Second)
	first, _ := r.Take(t.Context(), 50)
	large := make(chan struct{})
	go func() {
		release, err := r.Take(t.Context(), 100)
		if err == nil {
			release()
		}
		close(large)
	}()
	for waits := false; !waits; time.Sleep(time.Millisecond) {
		r.mu.Lock()
		waits = r.waiting.Len() == 1
		r.mu.Unlock()
	}
	small := make(chan struct{})
	go func() {
		release, err := r.Take(t.Context(), 10)
		if err == nil {
			release()
		}
		close(small)
	}()
	select {
	case <-small:
		t.Error("a small request overtook a large one")
	case <-time.After(20 * time.Millisecond):
	}
	first()
	<-large
	<-small
}

// TestOfClient checks that a client gets no more than its own quota.
func TestOfClient(t *testing.T) {
	all := NewQuota(100, 10*time.Millisecond)
	greedy := NewClient(NewQuota(50, 10*time.Millisecond)).NewRequest(nil).With(t.Context())
	release, err := all.Take(greedy, 50)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Take(greedy, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("a client got more than its quota: %v", err)
	}
	other, err := all.Take(NewClient(NewQuota(50, 0)).NewRequest(nil).With(t.Context()), 50)
	if err != nil {
		t.Fatal(err)
	}
	release()
	other()
	if all.Used() != 0 {
		t.Errorf("%d bytes are still used", all.Used())
	}
}

// TestLargeRequestIsAlone checks that a request of more than the client's quota waits for the
// client's others, and keeps later ones waiting.
func TestLargeRequestIsAlone(t *testing.T) {
	all := NewQuota(100, 10*time.Millisecond)
	client := NewClient(NewQuota(50, 10*time.Millisecond)).NewRequest(nil).With(t.Context())
	small, err := all.Take(client, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Take(client, 80); !errors.Is(err, ErrBusy) {
		t.Errorf("beside another request: %v", err)
	}
	small()
	large, err := all.Take(client, 80)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Take(client, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("beside a large one: %v", err)
	}
	large()
	if _, err := all.Take(client, 101); !errors.Is(err, ErrTooLarge) || all.Used() != 0 {
		t.Errorf("more than there is: %v, %d used", err, all.Used())
	}
}

// TestNeverMore checks with many goroutines that never more than the quota is given out.
func TestNeverMore(t *testing.T) {
	r := NewQuota(100, time.Millisecond)
	var used, given atomic.Int64
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for k := range 200 {
				n := int64((i*7+k*13)%90 + 1)
				release, err := r.Take(t.Context(), n)
				if err != nil {
					continue
				}
				given.Add(1)
				if used.Add(n) > 100 {
					t.Error("more than the quota is given out")
				}
				used.Add(-n)
				release()
			}
		})
	}
	all.Wait()
	if r.Used() != 0 || given.Load() == 0 {
		t.Errorf("%d bytes are still used, %d were given", r.Used(), given.Load())
	}
}
