// Package decoded keeps decoded chunks and blocks for later reads, of all files that are open, in a
// bounded amount of memory. What several goroutines ask for at the same time is decoded once.
//
// There is one cache in a process, [Shared], with one budget. A handle takes an [Owner] of it, and
// drops that when it is closed. A [Key] identifies content that never changes, so entries never
// need invalidation: whoever stores something else has another key. Readers do this:
//
//	e, lead := owner.Begin(key, size)   nil: there is no room, read without the cache
//	if lead:  decode into e.Data, and call e.Done
//	else:     e.Wait
//	copy from e.Data, and call e.Release
//
// A reader that leads does not wait for anything else before Done, or two could wait for each
// other. What could not be decoded is not kept: those who wait try for themselves.
package decoded

import (
	"context"
	"hash/maphash"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// EntryBytes is what an entry takes besides its data, and counts as that.
const EntryBytes = 256

const (
	// defaultBudget is what netCDF's library takes for one variable.
	defaultBudget = 64 << 20
	limitShare    = 16 // the default is at most this share of the process's memory limit
	automatic     = -1 // the budget until it is set or needed

	shardCount = 16
	newUses    = 1 // of an entry that nobody has found yet
	mostUses   = 3
)

// A Cache keeps decoded bytes. Any number of goroutines may use it. Entries leave it by the clock
// algorithm: a hand goes round the entries, counts down the uses of each, and stops at the first
// without any. What is read once leaves before what is read again.
type Cache struct {
	NoBlocks atomic.Bool // arrays of Blosc2 that are opened from now on keep nothing

	budget atomic.Int64
	used   atomic.Int64 // bytes of entries, also of those that are being decoded
	owners atomic.Uint64
	turn   atomic.Uint64 // the shard that is next to lose an entry
	door   door
	seed   maphash.Seed
	shards [shardCount]shard
}

// A shard is a part of the entries, with their clock.
type shard struct {
	mu    sync.Mutex
	index map[place]*Entry
	hand  *Entry // the next to be looked at, in a ring; nil for an empty one
	count int    // of the ring
	_     [64]byte
}

// A Key identifies content of an owner, for ever.
type Key struct {
	Array   uint64 // which of the owner's
	Chunk   int64
	Version uint64 // of the chunk
	Block   int32  // of the chunk, or 0 for the whole
}

// A place is a key of an owner.
type place struct {
	owner uint64
	Key
}

// An Entry is decoded bytes in use.
type Entry struct {
	Data []byte // only who leads may write to it, until Done

	at    place
	owner *Owner
	home  *shard
	state state
	ready chan struct{} // closed when the state is no longer making; nil if nobody waits
	refs  int           // readers
	uses  int           // at most mostUses

	next, before           *Entry // in the ring
	ownersNext, ownersLast *Entry // among those of the owner in the shard
	ringed                 bool
}

type state uint8

const (
	making  state = iota
	made          // Data is complete
	ended         // whoever was decoding it did not come to an end
	damaged       // it cannot be decoded
)

// process is the cache of the process.
var process = New(automatic)

// Shared returns the cache of the process.
func Shared() *Cache { return process }

// New returns a cache with a budget in bytes.
func New(budget int64) *Cache {
	c := &Cache{seed: maphash.MakeSeed()}
	c.budget.Store(budget)
	for i := range c.shards {
		c.shards[i].index = map[place]*Entry{}
	}
	return c
}

// Budget returns how many bytes the cache may keep. Until it is set, it is 64 MiB, or a sixteenth
// of the process's memory limit if that is less.
func (c *Cache) Budget() int64 {
	budget := c.budget.Load()
	if budget != automatic {
		return budget
	}

	budget = defaultBudget
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		budget = min(budget, limit/limitShare)
	}
	c.budget.CompareAndSwap(automatic, budget)
	return c.budget.Load()
}

// SetBudget sets how many bytes the cache may keep, and returns what it was. Entries that are more
// than that leave.
func (c *Cache) SetBudget(bytes int64) (was int64) {
	was = c.Budget()
	c.budget.Store(max(0, bytes))
	for c.used.Load() > c.Budget() {
		if _, ok := c.evict(0); !ok {
			break
		}
	}
	return was
}

// Used returns how many bytes the cache holds, with what each entry takes besides its data.
func (c *Cache) Used() int64 { return c.used.Load() }

// Most returns how many bytes one read may leave in the cache. What a larger one decodes would
// drive out everything else, and itself.
func (c *Cache) Most() int64 { return c.Budget() / 2 }

// An Owner has entries of a cache until it is dropped. A nil Owner has none, for good.
type Owner struct {
	cache   *Cache
	number  uint64
	dropped atomic.Bool
	entries atomic.Int64
	first   [shardCount]*Entry // of those of a shard; under its lock
}

// Owner returns a new owner.
func (c *Cache) Owner() *Owner { return &Owner{cache: c, number: c.owners.Add(1)} }

// Empty reports whether the owner has no complete entries.
func (o *Owner) Empty() bool { return o == nil || o.entries.Load() == 0 }

// Cache returns the owner's cache, or nil.
func (o *Owner) Cache() *Cache {
	if o == nil {
		return nil
	}
	return o.cache
}

// Drop removes all entries of the owner. Readers that have some keep these until they release them.
func (o *Owner) Drop() {
	if o == nil {
		return
	}

	o.dropped.Store(true)
	for i := range o.first {
		s := &o.cache.shards[i]
		s.mu.Lock()
		for o.first[i] != nil {
			e := o.first[i]
			s.remove(e)
			if e.refs == 0 {
				o.cache.used.Add(-e.size())
			}
		}
		s.mu.Unlock()
	}
}

// hash spreads neighbours over the shards.
func (p place) hash() uint64 {
	h := p.owner*0xc2b2_ae3d_27d4_eb4f + p.Array*0xff51_afd7_ed55_8ccd + p.Version*0x9fb2_1c65_1e98_df25
	h += uint64(p.Chunk)<<8 + uint64(uint32(p.Block))
	h *= 0x9e37_79b9_7f4a_7c15
	return h ^ h>>32
}

// shardOf returns the shard of a key, and its number.
func (o *Owner) shardOf(at place) (*shard, int) {
	i := int(at.hash() % shardCount)
	return &o.cache.shards[i], i
}

// Get returns the entry of a key if its bytes are there, or nil. The caller must release it.
func (o *Owner) Get(k Key) *Entry {
	if o == nil {
		return nil
	}

	at := place{o.number, k}
	s, _ := o.shardOf(at)
	s.mu.Lock()
	defer s.mu.Unlock()

	e := s.index[at]
	if e == nil || e.state != made {
		return nil
	}
	e.take()
	return e
}

// take counts a reader.
func (e *Entry) take() {
	e.refs++
	e.uses = min(e.uses+1, mostUses)
}

// Begin returns the entry of a key. If lead is true, the caller has to decode size bytes into Data
// and to call Done; otherwise somebody else does or has done so, and the caller has to call Wait
// before it looks at Data. The entry is nil if there is no room. The caller must release it.
func (o *Owner) Begin(k Key, size int64) (e *Entry, lead bool) {
	if o == nil {
		return nil, false
	}

	at := place{o.number, k}
	s, _ := o.shardOf(at)
	if e := s.find(at); e != nil {
		return e, false
	}

	fresh := o.cache.room(size)
	if fresh == nil {
		return nil, false
	}

	// Another goroutine may have begun meanwhile.
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.index[at]; e != nil {
		o.cache.used.Add(-fresh.size())
		e.take()
		return e, false
	}

	*fresh = Entry{Data: fresh.Data, at: at, owner: o, home: s, refs: 1, uses: newUses}
	s.index[at] = fresh
	return fresh, true
}

// find returns the entry of a key with one more reader, or nil.
func (s *shard) find(at place) *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()

	e := s.index[at]
	if e != nil {
		e.take()
	}
	return e
}

// room returns an entry with size bytes, which it has counted, or nil if there is no room. The
// bytes are those of an entry that had to leave, if these fit.
func (c *Cache) room(size int64) *Entry {
	budget := c.Budget()
	if size <= 0 || size > budget/2 {
		return nil
	}

	var old *Entry
	for c.used.Add(size+EntryBytes) > budget {
		c.used.Add(-size - EntryBytes)
		left, ok := c.evict(size)
		if !ok {
			return nil
		}
		if left != nil {
			old = left
		}
	}

	if old == nil {
		return &Entry{Data: make([]byte, size)}
	}
	old.Data = old.Data[:size]
	return old
}

// evict removes an entry. It returns that for another use if its bytes are as many as are wanted,
// and reports whether there was one.
func (c *Cache) evict(size int64) (left *Entry, ok bool) {
	for range shardCount * (mostUses + 1) {
		s := &c.shards[c.turn.Add(1)%shardCount]
		if left, ok = s.evict(c, size); ok {
			return left, true
		}
	}
	return nil, false
}

// evict goes once round the entries of the shard.
func (s *shard) evict(c *Cache, size int64) (left *Entry, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	for range s.count {
		e := s.hand
		s.hand = e.next
		switch {
		case e.refs > 0:
		case e.uses > 0:
			e.uses--
		default:
			s.remove(e)
			c.used.Add(-e.size())
			if int64(len(e.Data)) == size {
				left = e
			}
			return left, true
		}
	}
	return nil, false
}

// size returns the bytes that the entry counts for.
func (e *Entry) size() int64 { return int64(len(e.Data)) + EntryBytes }

// insert adds a complete entry to the ring, as the last that the hand comes to.
func (s *shard) insert(e *Entry, first **Entry) {
	e.ringed = true
	e.owner.entries.Add(1)
	s.count++
	if s.hand == nil {
		s.hand = e
		e.next = e
		e.before = e
	} else {
		e.next = s.hand
		e.before = s.hand.before
		e.before.next = e
		e.next.before = e
	}

	e.ownersNext = *first
	if *first != nil {
		(*first).ownersLast = e
	}
	*first = e
}

// remove takes a complete entry out of the shard. Readers may still have it.
func (s *shard) remove(e *Entry) {
	delete(s.index, e.at)
	e.owner.entries.Add(-1)
	s.count--
	switch {
	case s.count == 0:
		s.hand = nil
	case s.hand == e:
		s.hand = e.next
	}
	e.before.next = e.next
	e.next.before = e.before

	if e.ownersNext != nil {
		e.ownersNext.ownersLast = e.ownersLast
	}
	if e.ownersLast != nil {
		e.ownersLast.ownersNext = e.ownersNext
	} else {
		_, i := e.owner.shardOf(e.at)
		e.owner.first[i] = e.ownersNext
	}

	e.next = nil
	e.before = nil
	e.ownersNext = nil
	e.ownersLast = nil
	e.ringed = false
}

// Done ends decoding. Err says why there are no bytes: those who wait will not try again together
// if the content is damaged, but one after the other if the context of this reader has ended. The
// caller still has to release the entry.
func (e *Entry) Done(ctx context.Context, err error) {
	s := e.home
	s.mu.Lock()
	defer s.mu.Unlock()

	switch {
	case err == nil:
		e.state = made
	case ctx.Err() != nil:
		e.state = ended
	default:
		e.state = damaged
	}

	if _, i := e.owner.shardOf(e.at); e.state == made && !e.owner.dropped.Load() {
		s.insert(e, &e.owner.first[i])
	} else {
		delete(s.index, e.at)
	}
	if e.ready != nil {
		close(e.ready)
	}
}

// Wait waits until somebody has decoded the entry, or the context ends. If ok is false, the bytes
// are not there, and again says whether Begin should be called once more.
func (e *Entry) Wait(ctx context.Context) (ok, again bool, err error) {
	s := e.home
	s.mu.Lock()
	if e.state == making && e.ready == nil {
		e.ready = make(chan struct{})
	}
	now := e.state
	ready := e.ready
	s.mu.Unlock()

	if now == making {
		select {
		case <-ready:
		case <-ctx.Done():
			return false, false, ctx.Err()
		}
		s.mu.Lock()
		now = e.state
		s.mu.Unlock()
	}
	return now == made, now == ended, nil
}

// Release ends the use of an entry.
func (e *Entry) Release() {
	s := e.home
	s.mu.Lock()
	defer s.mu.Unlock()

	e.refs--
	if e.refs == 0 && !e.ringed {
		e.owner.cache.used.Add(-e.size())
	}
}
