package parallel

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// TestMutexExcludes lets goroutines count, some of which stop waiting.
func TestMutexExcludes(t *testing.T) {
	var m Mutex
	var wg sync.WaitGroup
	const goroutines, rounds = 8, 2000
	count, expected := 0, 0
	var results [goroutines]int
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				ctx, cancel := context.WithCancel(t.Context())
				if (g+i)%3 == 0 {
					go cancel()
				}
				if m.LockWithin(ctx) == nil {
					count++
					results[g]++
					m.Unlock()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	for _, n := range results {
		expected += n
	}
	if count != expected || count < goroutines*rounds/2 {
		t.Errorf("%d of %d", count, expected)
	}
	if m.Lock(); len(m.waiting) != 0 {
		t.Errorf("%d still wait", len(m.waiting))
	}
}

// TestMutexStopsWaiting checks that waiting ends with the context, and that the lock goes to the
// next one.
func TestMutexStopsWaiting(t *testing.T) {
	var m Mutex
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.LockWithin(ended); err != nil {
		t.Fatal("a free lock:", err)
	}
	if err := m.LockWithin(ended); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got := make(chan bool)
	go func() {
		m.Lock()
		close(got)
		m.Unlock()
	}()
	m.Unlock()
	<-got

	m.Lock() // once the other has released it
	release := m.Unlock
	release()

	defer func() {
		if recover() == nil {
			t.Error("a free lock was released")
		}
	}()
	m.Unlock()
}

// TestMutexIsHandedOver checks that one that has lost the lock often enough gets it, although it is
// wanted by others.
func TestMutexIsHandedOver(t *testing.T) {
	var m Mutex
	m.Lock()
	w := &waiter{tries: patience}
	if m.try(w) {
		t.Fatal("taken twice")
	}
	m.Unlock()
	if m.try(nil) {
		t.Error("another one took it")
	}
	if !m.try(w) {
		t.Error("it was not handed over")
	}
	m.Unlock()
}
