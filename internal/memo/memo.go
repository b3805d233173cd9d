// Package memo keeps what takes work to make, up to a size, and makes it once for all who ask at
// the same time.
package memo

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Options say what a cache may keep. Zero fields other than Most have defaults.
type Options[V any] struct {
	Most    int64         // sum of the sizes of what is kept
	Largest int64         // of one value that is kept; 0 means Most
	Size    func(V) int64 // nil means 1 for each
	// Close ends a value that is neither kept nor used any longer; nil means that there is nothing
	// to do. With it, values stay kept while they are used, also beyond Most.
	Close func(V) error
	Idle  time.Duration // how long a value is kept that nobody uses; 0 means for ever
}

// A Cache keeps values by their keys, those that were used last. Any number of goroutines may use
// it.
type Cache[V any] struct {
	o Options[V]

	mu      sync.Mutex
	entries map[string]*Entry[V] // that are kept, or are being made
	recent  list.List            // of entries that are kept, the last used in front
	size    int64
}

// An Entry is a value in use, in one version.
type Entry[V any] struct {
	Value V

	cache        *Cache[V]
	key, version string
	ready        chan struct{} // closed when it is made, or err or fault says why not
	err          error
	fault        any                // of a panic
	cancel       context.CancelFunc // ends making it; nil if that has ended
	refs         int                // uses; making it is one
	used         time.Time
	at           *list.Element // in recent; nil unless it is kept
	size         int64
}

// New returns an empty cache.
func New[V any](o Options[V]) *Cache[V] {
	if o.Size == nil {
		o.Size = func(V) int64 { return 1 }
	}
	if o.Largest == 0 {
		o.Largest = o.Most
	}

	return &Cache[V]{o: o, entries: map[string]*Entry[V]{}}
}

// Get returns the value of a key in a version, which replaces any other version. If it is neither
// kept nor being made, create makes it on a goroutine of its own, with the values of ctx, as long
// as somebody waits for it. Its error, or panic, is that of all who wait, and is not kept. Get
// calls done when create needs nothing of the caller any longer, maybe after it has returned. If
// the cache closes values, the caller has to release the entry.
func (c *Cache[V]) Get(
	ctx context.Context, key, version string, done func(), create func(context.Context) (V, error),
) (*Entry[V], error) {
	e, first, unused := c.enter(ctx, key, version)
	c.close(unused)
	if first != nil {
		go e.fill(first, done, create)
	} else {
		done()
	}

	select {
	case <-e.ready:
	default:
		select {
		case <-e.ready:
		case <-ctx.Done():
			e.Release()
			return nil, ctx.Err()
		}
	}

	switch {
	case e.fault != nil:
		panic(e.fault)
	case e.err != nil:
		return nil, e.err
	}
	return e, nil
}

// enter returns the entry of a key for one more user, a context if it has to be made, and what is
// dropped for it.
func (c *Cache[V]) enter(ctx context.Context, key, version string) (e *Entry[V], first context.Context, unused []V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e = c.entries[key]; e != nil && e.version == version {
		e.refs++
		c.touch(e)
		return e, nil, nil
	}

	if e != nil {
		unused = c.drop(e, nil)
	}
	e = &Entry[V]{cache: c, key: key, version: version, ready: make(chan struct{}), refs: 2}
	first, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.entries[key] = e
	return e, first, unused
}

// fill makes the value of an entry, and keeps it if it may. Nobody releases what has failed.
func (e *Entry[V]) fill(ctx context.Context, done func(), create func(context.Context) (V, error)) {
	defer done()
	func() {
		defer func() { e.fault = recover() }() // which ends requests, not the program
		e.Value, e.err = create(ctx)
	}()

	c := e.cache
	c.mu.Lock()
	e.cancel()
	e.cancel = nil
	var unused []V
	if e.err != nil || e.fault != nil {
		c.forget(e)
	} else {
		unused = c.leave(e, c.keep(e))
	}
	close(e.ready)
	c.mu.Unlock()
	c.close(unused)
}

// keep keeps an entry that has been made, unless it is too large or has been replaced meanwhile.
// The caller holds the lock, as of all that follows.
func (c *Cache[V]) keep(e *Entry[V]) (unused []V) {
	e.size = c.o.Size(e.Value)
	if now := c.entries[e.key]; now != nil && now != e || e.size > c.o.Largest {
		c.forget(e)
		return nil
	}

	c.entries[e.key] = e
	c.size += e.size
	c.touch(e)
	e.at = c.recent.PushFront(e)
	return c.evict(nil)
}

// touch notes that an entry is used.
func (c *Cache[V]) touch(e *Entry[V]) {
	e.used = time.Now()
	if e.at != nil {
		c.recent.MoveToFront(e.at)
	}
}

// forget takes an entry out of the table.
func (c *Cache[V]) forget(e *Entry[V]) {
	if c.entries[e.key] == e {
		delete(c.entries, e.key)
	}
}

// drop stops keeping an entry, and appends its value to those to close if nobody uses it.
func (c *Cache[V]) drop(e *Entry[V], unused []V) []V {
	c.forget(e)
	if e.at == nil {
		return unused
	}

	c.recent.Remove(e.at)
	e.at = nil
	c.size -= e.size
	if e.refs == 0 {
		unused = append(unused, e.Value)
	}
	return unused
}

// evict drops values that nobody uses: the oldest while there are too many, and old ones.
func (c *Cache[V]) evict(unused []V) []V {
	for at := c.recent.Back(); at != nil; {
		e := at.Value.(*Entry[V])
		at = at.Prev()
		if c.size <= c.o.Most && (c.o.Idle == 0 || time.Since(e.used) < c.o.Idle) {
			break
		}
		if e.refs == 0 || c.o.Close == nil {
			unused = c.drop(e, unused)
		}
	}
	return unused
}

// Release ends a use of an entry.
func (e *Entry[V]) Release() {
	e.cache.mu.Lock()
	unused := e.cache.leave(e, nil)
	e.cache.mu.Unlock()
	e.cache.close(unused)
}

// leave ends a use of an entry. What nobody waits for is made no further, and whoever comes now
// begins anew.
func (c *Cache[V]) leave(e *Entry[V], unused []V) []V {
	e.refs--
	switch {
	case e.refs == 1 && e.cancel != nil:
		e.cancel()
		c.forget(e)
	case e.refs == 0 && e.at == nil:
		unused = append(unused, e.Value)
	}
	return c.evict(unused)
}

// Hold makes an entry in use stay so until it is released once more.
func (e *Entry[V]) Hold() {
	e.cache.mu.Lock()
	defer e.cache.mu.Unlock()
	e.refs++
}

// close closes values, which may release others.
func (c *Cache[V]) close(unused []V) (err error) {
	for _, v := range unused {
		if c.o.Close != nil {
			err = errors.Join(err, c.o.Close(v))
		}
	}
	return err
}

// Kept returns a value that is kept, in any version.
func (c *Cache[V]) Kept(key string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	e := c.entries[key]
	if e == nil || e.at == nil {
		return v, false
	}
	c.touch(e)
	return e.Value, true
}

// Put keeps a value if there is none.
func (c *Cache[V]) Put(key string, v V) {
	c.mu.Lock()
	unused := c.keep(&Entry[V]{Value: v, cache: c, key: key})
	c.mu.Unlock()
	c.close(unused)
}

// Size returns the sum of the sizes of what is kept.
func (c *Cache[V]) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// Close drops everything. What is in use is closed when it is released, and so is what is made from
// then on.
func (c *Cache[V]) Close() error {
	c.mu.Lock()
	c.o.Largest = -1
	var unused []V
	for at := c.recent.Front(); at != nil; at = c.recent.Front() {
		unused = c.drop(at.Value.(*Entry[V]), unused)
	}
	c.mu.Unlock()
	return c.close(unused)
}
