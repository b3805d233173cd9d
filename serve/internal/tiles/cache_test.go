package tiles

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

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
	if n := tiles.cache.Size(); n > 3<<20 || n < 2<<20 {
		t.Errorf("%d bytes are kept", n)
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
