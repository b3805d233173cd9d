package tiles

import (
	"container/list"
	"context"
	"fmt"
	"sync"
)

// A sized value of the cache knows its memory.
type sized interface{ bytes() int64 }

// A cache keeps results up to a number of bytes, those that were used last. What several ask for at
// the same time is made once.
type cache struct {
	most int64

	mu      sync.Mutex
	bytes   int64
	recent  list.List // of *cached, the last used in front
	entries map[string]*list.Element
	making  map[string]*making
}

type cached struct {
	key   string
	value sized
}

// A making is a result that is being made, for some waiters.
type making struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	value   sized
	err     error
}

func newCache(most int64) *cache {
	return &cache{most: most, entries: map[string]*list.Element{}, making: map[string]*making{}}
}

// get returns a result that is there, or nil.
func (c *cache) get(key string) sized {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(key)
}

func (c *cache) find(key string) sized {
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached).value
}

// do returns a result, and makes it if nobody has. It goes on as long as one waits for it. do calls
// release when the result needs what it is made of no longer, maybe after it has returned.
func (c *cache) do(ctx context.Context, key string, release func(), create func(context.Context) (sized, error)) (sized, error) {
	c.mu.Lock()
	if v := c.find(key); v != nil {
		c.mu.Unlock()
		release()
		return v, nil
	}
	m := c.making[key]
	if m == nil {
		inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
		m = &making{done: make(chan struct{}), cancel: cancel}
		c.making[key] = m
		go c.make(inner, key, m, release, create)
	} else {
		defer release()
	}
	m.waiters++
	c.mu.Unlock()
	select {
	case <-m.done:
		return m.value, m.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.waiters--; m.waiters == 0 {
		m.cancel()
		if c.making[key] == m {
			delete(c.making, key) // whoever comes now begins anew
		}
	}
	return nil, ctx.Err()
}

// make makes a result.
func (c *cache) make(ctx context.Context, key string, m *making, release func(), create func(context.Context) (sized, error)) {
	defer release()
	defer m.cancel()
	defer close(m.done)
	defer func() {
		if fault := recover(); fault != nil { // on the caller's goroutine a server would survive it
			m.value, m.err = nil, fmt.Errorf("tile: panic: %v", fault)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.making[key] == m {
			delete(c.making, key)
		}
		if m.err == nil {
			c.put(key, m.value)
		}
	}()
	m.value, m.err = create(ctx)
}

// put keeps a result, and drops those that have not been used for longest.
func (c *cache) put(key string, v sized) {
	if v.bytes() > c.most || c.entries[key] != nil {
		return
	}
	c.entries[key] = c.recent.PushFront(&cached{key, v})
	c.bytes += v.bytes()
	for c.bytes > c.most {
		last := c.recent.Remove(c.recent.Back()).(*cached)
		delete(c.entries, last.key)
		c.bytes -= last.value.bytes()
	}
}
