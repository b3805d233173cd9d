package tiles

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

func TestManyWaitForOnePass(t *testing.T) {
	u := array(t, "<f4", ndarray.Shape{300, 300}, ndarray.Shape{300, 300}, ndarray.Shape{300, 300})
	src := &source{Source: u, wait: make(chan struct{})}
	tiles := New(Options{})
	var released atomic.Int64
	a := Array{Source: src, Key: "a", Release: func() { released.Add(1) }}
	p := Plane{0, 1, []int64{0, 0}}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := t.Context()
			if i < 4 { // these give up; the one that began may be among them
				c = ctx
			}
			_, err := tiles.Tile(c, a, p, at(1, 0, 0), true)
			if i < 4 && !errors.Is(err, context.Canceled) || i >= 4 && err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	waiters := func() int {
		tiles.cache.mu.Lock()
		defer tiles.cache.mu.Unlock()
		for _, m := range tiles.cache.making {
			return m.waiters
		}
		return 0
	}
	for waiters() < 8 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	for waiters() > 4 {
		time.Sleep(time.Millisecond)
	}
	close(src.wait)
	wg.Wait()
	for released.Load() < 8 {
		time.Sleep(time.Millisecond)
	}
	if n := src.reads.Load(); n != 1 {
		t.Errorf("%d reads", n)
	}
}

func TestAPassEndsWithItsLastWaiter(t *testing.T) {
	u := array(t, "<f4", ndarray.Shape{300, 300}, nil, nil)
	src := &source{Source: u, wait: make(chan struct{})}
	tiles := New(Options{})
	released := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for src.reads.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err := tiles.Tile(ctx, Array{Source: src, Key: "a", Release: func() { close(released) }}, Plane{0, 1, []int64{0, 0}}, Place{}, true)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	<-released // although wait is open still
}

func TestCacheIsBounded(t *testing.T) {
	u := array(t, "|u1", ndarray.Shape{100, 256, 256}, ndarray.Shape{1, 256, 256}, nil)
	src := &source{Source: u}
	tiles := New(Options{CacheBytes: 3 << 20})
	get := func(z int64) {
		if _, err := tiles.Tile(t.Context(), held(src), Plane{1, 2, []int64{z, 0, 0}}, Place{}, true); err != nil {
			t.Fatal(err)
		}
	}
	for z := range int64(100) {
		get(z)
	}
	if n := tiles.cache.bytes; n > 3<<20 || n < 2<<20 || len(tiles.cache.entries) != tiles.cache.recent.Len() {
		t.Errorf("%d bytes in %d entries", n, len(tiles.cache.entries))
	}
	before := src.reads.Load()
	get(99)
	get(98)
	if src.reads.Load() != before {
		t.Error("the last planes are not kept")
	}
	get(0)
	if src.reads.Load() == before {
		t.Error("the first plane is kept, beyond the bound")
	}
}
