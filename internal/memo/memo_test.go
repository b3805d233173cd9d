package memo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 10 s", what)
		}
	}
}

// uses returns how many use the entry of a key, its making included.
func (c *Cache[V]) uses(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		return e.refs
	}
	return 0
}

func nothing() {}

// value returns a function that makes a value.
func value[V any](v V) func(context.Context) (V, error) {
	return func(context.Context) (V, error) { return v, nil }
}

// TestManyWaitForOneMaking has some of those who wait give up, maybe also the one that began.
func TestManyWaitForOneMaking(t *testing.T) {
	c := New(Options[int]{Most: 10})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var made, done atomic.Int32
	goOn := make(chan struct{})
	for i := range 8 {
		all.Go(func() {
			within := t.Context()
			if i < 4 {
				within = ctx
			}
			e, err := c.Get(within, "k", "", func() { done.Add(1) }, func(ctx context.Context) (int, error) {
				made.Add(1)
				<-goOn
				return 7, ctx.Err()
			})
			if i < 4 && !errors.Is(err, context.Canceled) || i >= 4 && (err != nil || e.Value != 7) {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	until(t, "all wait", func() bool { return c.uses("k") == 9 })
	cancel()
	until(t, "four wait", func() bool { return c.uses("k") == 5 })
	close(goOn)
	all.Wait()
	until(t, "all are done", func() bool { return done.Load() == 8 })
	if made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
}

// TestAMakingEndsWithItsLastWaiter checks that what comes next begins anew, and that a value which
// nobody waits for is kept or closed.
func TestAMakingEndsWithItsLastWaiter(t *testing.T) {
	closed := make(chan int, 2)
	c := New(Options[int]{Most: 10, Close: func(v int) error { closed <- v; return nil }})
	ctx, cancel := context.WithCancel(t.Context())
	goOn := make(chan struct{})
	ended := make(chan struct{})
	_, err := c.Get(ctx, "k", "", func() { close(ended) }, func(within context.Context) (int, error) {
		cancel()
		<-within.Done()
		<-goOn
		return 1, nil // too late
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}

	e, err := c.Get(t.Context(), "k", "", nothing, value(2))
	if err != nil || e.Value != 2 {
		t.Fatal(e, err)
	}
	close(goOn)
	<-ended
	if v := <-closed; v != 1 {
		t.Errorf("%d is closed", v)
	}
	e.Release()
	if v, ok := c.Kept("k"); !ok || v != 2 || c.Size() != 1 {
		t.Errorf("%d is kept, size %d", v, c.Size())
	}
}

func TestErrorsAndPanicsAreForAllWhoWaitAndNotKept(t *testing.T) {
	c := New(Options[int]{Most: 10})
	bad := errors.New("bad")
	if _, err := c.Get(t.Context(), "k", "", nothing, func(context.Context) (int, error) { return 1, bad }); !errors.Is(err, bad) {
		t.Error(err)
	}
	func() {
		defer func() {
			if fault := recover(); fault != "a defect" {
				t.Error(fault)
			}
		}()
		_, _ = c.Get(t.Context(), "k", "", nothing, func(context.Context) (int, error) { panic("a defect") })
	}()
	if e, err := c.Get(t.Context(), "k", "", nothing, value(3)); err != nil || e.Value != 3 {
		t.Error(e, err)
	}
}

func TestSizesAreBoundedAndTheLastUsedAreKept(t *testing.T) {
	c := New(Options[int]{Most: 100, Largest: 50, Size: func(v int) int64 { return int64(v) }})
	for i := range 20 {
		c.Put(fmt.Sprint(i), 10)
		c.Put("0", 10) // does nothing, and is no use
		if _, ok := c.Kept("0"); !ok {
			t.Fatalf("the value that is used is gone after %d", i)
		}
	}
	c.Put("large", 51)
	if _, ok := c.Kept("large"); ok || c.Size() != 100 || c.recent.Len() != 10 || len(c.entries) != 10 {
		t.Errorf("%d in %d entries", c.Size(), len(c.entries))
	}
	if _, ok := c.Kept("5"); ok {
		t.Error("an old value is kept")
	}
	if _, ok := c.Kept("19"); !ok {
		t.Error("the last value is not kept")
	}
}

// TestValuesInUseStayOpen uses more values than may be kept, and versions that are replaced.
func TestValuesInUseStayOpen(t *testing.T) {
	var mu sync.Mutex
	open := map[string]bool{}
	c := New(Options[string]{Most: 2, Close: func(v string) error {
		mu.Lock()
		defer mu.Unlock()
		if !open[v] {
			t.Errorf("%s is closed again", v)
		}
		delete(open, v)
		return nil
	}})
	get := func(key, version string) *Entry[string] {
		e, err := c.Get(t.Context(), key, version, nothing, func(context.Context) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			open[key+version] = true
			return key + version, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}

	var used []*Entry[string]
	for i := range 5 {
		used = append(used, get(fmt.Sprint(i), ""))
	}
	used[4].Hold()
	used[4].Release()
	if c.Size() != 5 || len(open) != 5 {
		t.Errorf("%d of 5 in use are kept, %d are open", c.Size(), len(open))
	}
	for _, e := range used {
		e.Release()
	}
	if c.Size() != 2 || len(open) != 2 {
		t.Errorf("%d are kept, %d are open", c.Size(), len(open))
	}

	old := get("a", "1")
	young := get("a", "2")
	if v, _ := c.Kept("a"); v != "a2" || !open["a1"] {
		t.Errorf("%s is kept, open are %v", v, open)
	}
	old.Release()
	if open["a1"] || !open["a2"] {
		t.Errorf("open are %v", open)
	}
	if err := c.Close(); err != nil || !open["a2"] || len(open) != 1 {
		t.Errorf("after closing, open are %v: %v", open, err)
	}
	young.Release()
	get("b", "").Release()
	if len(open) != 0 || c.Size() != 0 {
		t.Errorf("open are %v", open)
	}
}

func TestIdleValuesAreClosed(t *testing.T) {
	closed := 0
	c := New(Options[int]{Most: 10, Idle: time.Minute, Close: func(int) error { closed++; return nil }})
	for _, key := range []string{"a", "b"} {
		e, err := c.Get(t.Context(), key, "", nothing, value(1))
		if err != nil {
			t.Fatal(err)
		}
		if key == "a" {
			e.used = e.used.Add(-2 * time.Minute)
		}
		e.Release()
	}
	if closed != 1 || c.Size() != 1 {
		t.Errorf("%d were closed, %d are kept", closed, c.Size())
	}
}

// TestManyAtTheSameTime uses few keys in changing versions from many goroutines, some of which give
// up. In the end each value has been closed once.
func TestManyAtTheSameTime(t *testing.T) {
	var made, closed atomic.Int64
	type thing struct{ open atomic.Bool }
	c := New(Options[*thing]{Most: 3, Close: func(v *thing) error {
		if !v.open.CompareAndSwap(true, false) {
			t.Error("a value is closed twice")
		}
		closed.Add(1)
		return nil
	}})
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 200 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n%7)*50*time.Microsecond)
				e, err := c.Get(ctx, fmt.Sprint((i+n)%5), fmt.Sprint(n%3), nothing, func(context.Context) (*thing, error) {
					if n%11 == 0 {
						return nil, errors.New("bad")
					}
					made.Add(1)
					v := &thing{}
					v.open.Store(true)
					return v, nil
				})
				if err == nil {
					if !e.Value.open.Load() {
						t.Error("a value in use is closed")
					}
					e.Release()
				}
				cancel()
			}
		})
	}
	all.Wait()
	until(t, "everything is made", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.entries) == c.recent.Len()
	})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "everything is closed", func() bool { return made.Load() == closed.Load() })
}
