package readahead

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn/internal/parallel"
)

// pairs yields extents.
func pairs(all [][2]int64) iter.Seq2[int64, int64] {
	return func(yield func(off, n int64) bool) {
		for _, e := range all {
			if !yield(e[0], e[1]) {
				return
			}
		}
	}
}

func TestGroups(t *testing.T) {
	const far = Gap + 1
	for _, c := range []struct {
		extents [][2]int64
		want    []Group
	}{
		{nil, nil},
		{[][2]int64{{0, 10}, {10, 10}, {20 + Gap, 5}}, []Group{{0, 3, 0, 25 + Gap}}},
		{[][2]int64{{0, 10}, {10 + far, 10}}, []Group{{0, 1, 0, 10}, {1, 2, 10 + far, 20 + far}}},
		{[][2]int64{{100, 10}, {0, 10}}, []Group{{0, 1, 100, 110}, {1, 2, 0, 10}}},
		{[][2]int64{{0, Most - 1}, {Most - 1, 2}}, []Group{{0, 1, 0, Most - 1}, {1, 2, Most - 1, Most + 1}}},
		{[][2]int64{{0, 2 * Most}}, []Group{{0, 1, 0, 2 * Most}}},
		{[][2]int64{{0, 0}, {9, 10}, {0, 0}, {0, -1}, {0, -1}, {0, 0}, {3, 1}},
			[]Group{{0, 3, 9, 19}, {3, 5, 0, 0}, {5, 7, 3, 4}}},
	} {
		if got := Groups(pairs(c.extents)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.extents, got, c.want)
		}
	}
}

// source counts what a Reader holds.
type source struct {
	mu                 sync.Mutex
	held, most         int64
	flying, mostFlying int
	loads              int
	pause              time.Duration
	fail               int64 // offset of the group whose load fails, -1 for none
}

func (s *source) load(ctx context.Context, g Group) (func(), error) {
	s.mu.Lock()
	s.loads++
	s.flying++
	s.held += g.End - g.Off
	s.most, s.mostFlying = max(s.most, s.held), max(s.mostFlying, s.flying)
	s.mu.Unlock()
	release := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held -= g.End - g.Off
	}
	select {
	case <-time.After(s.pause):
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.flying--
	s.mu.Unlock()
	if g.Off == s.fail {
		release()
		return nil, fmt.Errorf("bytes at %d", g.Off)
	}
	return release, nil
}

// TestReader runs loops over random groups, and checks that each load happens once and before its
// jobs, within the limits.
func TestReader(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var extents [][2]int64
		for off := int64(0); len(extents) < 1+r.IntN(60); {
			n := []int64{-1, 0, 100, 5000, Most + 1}[r.IntN(5)]
			extents = append(extents, [2]int64{off, n})
			off += max(n, 0) + r.Int64N(3)*Gap
		}
		groups := Groups(pairs(extents))
		s := &source{fail: -1, pause: time.Duration(r.IntN(100)) * time.Microsecond}
		requests, memory := 1+r.IntN(4), int64(1+r.IntN(3*Most))
		ahead := New(t.Context(), groups, requests, memory, s.load)
		workers, failAt := 1+r.IntN(5), r.IntN(2*len(extents))
		var begun atomic.Int64
		err := parallel.For(t.Context(), workers, len(extents), func(_, job int) error {
			defer ahead.End(job)
			if err := ahead.Begin(job); err != nil {
				return err
			}
			begun.Add(1)
			if job == failAt {
				return errors.New("job")
			}
			return nil
		})
		ahead.Close()
		if failAt >= len(extents) && (err != nil || begun.Load() != int64(len(extents))) ||
			failAt < len(extents) && err == nil {
			t.Fatalf("%v after %d of %d jobs", err, begun.Load(), len(extents))
		}
		want, largest := 0, int64(0)
		for _, g := range groups {
			if g.End > g.Off {
				want, largest = want+1, max(largest, g.End-g.Off)
			}
		}
		if err == nil && s.loads != want || s.loads > want || s.held != 0 || s.mostFlying > requests ||
			s.most > max(memory, largest) {
			t.Fatalf("%d loads of %d, %d at a time of %d, %d bytes of %d, %d left", s.loads, want, s.mostFlying,
				requests, s.most, memory, s.held)
		}
	}
}

func TestReaderFails(t *testing.T) {
	s := &source{fail: 3 * Most}
	groups := Groups(pairs([][2]int64{{0, Most}, {Most, Most}, {2 * Most, Most}, {3 * Most, Most}, {4 * Most, Most}}))
	ahead := New(t.Context(), groups, 2, 2*Most, s.load)
	err := parallel.For(t.Context(), 2, 5, func(_, job int) error {
		defer ahead.End(job)
		return ahead.Begin(job)
	})
	ahead.Close()
	if err == nil || err.Error() != "bytes at 25165824" || s.held != 0 {
		t.Errorf("%v, %d bytes held", err, s.held)
	}
}

// TestReaderEnds checks that Close ends loads that nobody waits for, and their goroutines.
func TestReaderEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	s := &source{fail: -1, pause: time.Hour}
	ctx, cancel := context.WithCancel(t.Context())
	ahead := New(ctx, Groups(pairs([][2]int64{{0, 5}, {Most, 5}, {3 * Most, 5}})), 2, Memory, s.load)
	ahead.End(0) // a job that ended before it began
	ahead.Close()
	if s.held != 0 {
		t.Errorf("%d bytes held", s.held)
	}
	ahead = New(ctx, Groups(pairs([][2]int64{{0, 5}})), 2, Memory, func(context.Context, Group) (func(), error) {
		cancel()
		panic("load")
	})
	func() {
		defer func() {
			if got := recover(); got != "load" {
				t.Errorf("panic with %v", got)
			}
		}()
		defer ahead.End(0)
		_ = ahead.Begin(0)
	}()
	if got := New(ctx, Groups(pairs([][2]int64{{0, -1}, {0, -1}})), 1, 1, nil); got != nil {
		t.Error("a Reader of nothing")
	}
	for range 60_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
