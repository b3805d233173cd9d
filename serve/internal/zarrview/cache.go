package zarrview

import (
	"container/list"
	"context"
	"sync"
)

// A cache keeps bytes of bounded size, those used last, and makes each only once at a time.
type cache struct {
	most int64

	mu     sync.Mutex
	size   int64
	recent list.List // of *item, the one used last in front
	items  map[string]*item
}

// An item is bytes that are kept, or are being made.
type item struct {
	key   string
	bytes []byte
	err   error
	ready chan struct{}
	at    *list.Element // nil unless it is kept
}

// itemCost is the memory that an item takes besides its bytes.
const itemCost = 512

func newCache(most int64) *cache { return &cache{most: most, items: map[string]*item{}} }

// get returns the bytes of a key, which must not be changed. If there are none, make makes them,
// and says whether to keep them. Of calls at the same time one makes them; if it fails, the next
// tries.
func (c *cache) get(ctx context.Context, key string, make func() (b []byte, keep bool, err error)) ([]byte, error) {
	for {
		it, own := c.item(key)
		if own {
			return c.fill(it, make)
		}
		select {
		case <-it.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if it.err == nil {
			return it.bytes, nil
		}
	}
}

// item returns the item of a key, and whether the caller has to make it.
func (c *cache) item(key string) (it *item, own bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if it = c.items[key]; it != nil {
		if it.at != nil {
			c.recent.MoveToFront(it.at)
		}
		return it, false
	}
	it = &item{key: key, ready: make(chan struct{})}
	c.items[key] = it
	return it, true
}

// fill makes an item, and keeps it if it may.
func (c *cache) fill(it *item, make func() ([]byte, bool, error)) ([]byte, error) {
	keep := false
	it.err = context.Canceled // for those who wait, if make panics
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		cost := int64(cap(it.bytes)) + itemCost
		if keep = keep && it.err == nil && cost <= c.most/4; !keep {
			delete(c.items, it.key)
		} else {
			it.at = c.recent.PushFront(it)
			c.size += cost
		}
		for c.size > c.most {
			c.drop(c.recent.Back().Value.(*item))
		}
		close(it.ready)
	}()
	it.bytes, keep, it.err = make()
	return it.bytes, it.err
}

// kept returns the bytes of a key that are kept.
func (c *cache) kept(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.items[key]
	if it == nil || it.at == nil {
		return nil, false
	}
	c.recent.MoveToFront(it.at)
	return it.bytes, true
}

// put keeps the bytes of a key, which it owns from then on.
func (c *cache) put(key string, b []byte) {
	if it, own := c.item(key); own {
		_, _ = c.fill(it, func() ([]byte, bool, error) { return b, true, nil })
	}
}

// drop removes an item that is kept. The caller holds the lock.
func (c *cache) drop(it *item) {
	c.recent.Remove(it.at)
	delete(c.items, it.key)
	c.size -= int64(cap(it.bytes)) + itemCost
}
