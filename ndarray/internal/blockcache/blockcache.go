// Package blockcache keeps decoded blocks in a bounded amount of memory.
package blockcache

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn/internal/inside"
)

// A Cache keeps decoded blocks of an array and its snapshots for later reads, perhaps in memory
// that arrays share. The key of a block identifies content that never changes, so entries never
// need invalidation. Each shard uses the clock algorithm: a hand goes round the blocks, decrements
// the use count of those that were used, and evicts the first whose count is 0. New blocks start at
// 0, so blocks that are read once are evicted before those that are read again.
type Cache struct {
	// the most bytes of one read that are kept; larger reads would evict everything else
	Most   int64
	owner  uint64 // of the blocks of this array
	shards []shard
}

// A Pool is the memory of the caches of any number of arrays.
type Pool struct {
	of   Cache
	last atomic.Uint64 // the last number given to an owner
}

type shard struct {
	mu    sync.Mutex
	index map[Key]*Block
	ring  []*Block
	bytes int64 // of the blocks, at most room
	room  int64
	hand  int
	spare [][]byte // memory of evicted blocks
	_     [64]byte // shards do not share cache lines
}

// A Key identifies a block of a chunk.
type Key struct {
	Chunk inside.ChunkKey
	Block int32
	owner uint64
}

// A Block is a decoded block.
type Block struct {
	key  Key
	Data []byte // must not be changed
	used uint8  // use count, at most maxUsed
	pins int    // readers that use it now
}

const (
	cacheShards = 16
	minBlocks   = 4 // per shard
	maxUsed     = 3
)

// New returns a cache of the given number of bytes for blocks of a size, or nil if the bytes are
// too few.
func New(blockSize, bytes int64) *Cache {
	if blockSize <= 0 || bytes/blockSize < minBlocks {
		return nil
	}

	shards := cacheShards
	for bytes/blockSize < int64(shards*minBlocks) {
		shards /= 2
	}

	// A shard has room for whole blocks.
	c := divided(bytes, shards)
	for i := range c.shards {
		c.shards[i].room = c.shards[i].room / blockSize * blockSize
	}
	return c
}

// divided returns an empty cache.
func divided(bytes int64, shards int) *Cache {
	c := &Cache{Most: bytes / 4, shards: make([]shard, shards)}
	for i := range c.shards {
		c.shards[i].room = bytes / int64(shards)
		c.shards[i].index = map[Key]*Block{}
	}
	return c
}

// minShard is the least memory of a shard of a pool.
const minShard = 1 << 20

// NewPool returns a pool of the given number of bytes.
func NewPool(bytes int64) *Pool {
	shards := cacheShards
	for shards > 1 && bytes/int64(shards) < minShard {
		shards /= 2
	}
	return &Pool{of: *divided(bytes, shards)}
}

// Cache returns a cache for an array whose memory is that of the pool.
func (p *Pool) Cache() *Cache {
	return &Cache{Most: p.of.Most, owner: p.last.Add(1), shards: p.of.shards}
}

// of returns the shard of a block. Adjacent blocks belong to different shards.
func (c *Cache) of(k Key) *shard {
	h := (k.Chunk.Hash() + k.owner*0xc2b2_ae3d_27d4_eb4f + uint64(k.Block)) * 0x9e37_79b9_7f4a_7c15
	return &c.shards[h>>32&uint64(len(c.shards)-1)]
}

// Get returns a block, or nil. The caller must release it.
func (c *Cache) Get(k Key) *Block {
	k.owner = c.owner
	s := c.of(k)
	s.mu.Lock()
	defer s.mu.Unlock()

	b := s.index[k]
	if b != nil {
		b.used = min(b.used+1, maxUsed)
		b.pins++
	}
	return b
}

// Release ends the use of a block that Get returned.
func (c *Cache) Release(b *Block) {
	s := c.of(b.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	b.pins--
}

// Memory returns memory for a block that the caller will Put.
func (c *Cache) Memory(k Key, size int) []byte {
	k.owner = c.owner
	s := c.of(k)
	s.mu.Lock()
	defer s.mu.Unlock()

	for i, b := range slices.Backward(s.spare) {
		if len(b) == size {
			s.spare = slices.Delete(s.spare, i, i+1)
			return b
		}
	}
	return make([]byte, size)
}

// Put adds a block and reports whether it evicted another one. The cache owns data from then on.
func (c *Cache) Put(k Key, data []byte) (evicted bool) {
	k.owner = c.owner
	s := c.of(k)
	s.mu.Lock()
	defer s.mu.Unlock()

	size := int64(len(data))
	if s.index[k] != nil || size > s.room {
		s.give(data)
		return false
	}

	for s.bytes+size > s.room {
		if !s.evict() {
			s.give(data)
			return evicted
		}
		evicted = true
	}

	// The new block is the last that the hand comes to.
	b := &Block{key: k, Data: data}
	s.index[k] = b
	s.bytes += size
	s.ring = slices.Insert(s.ring, s.hand, b)
	s.hand = (s.hand + 1) % len(s.ring)
	return evicted
}

// evict removes the block that the hand stops at. It reports false if all blocks are in use.
func (s *shard) evict() bool {
	for range (maxUsed + 1) * len(s.ring) {
		b := s.ring[s.hand]
		if b.used == 0 && b.pins == 0 {
			delete(s.index, b.key)
			s.ring = slices.Delete(s.ring, s.hand, s.hand+1)
			s.hand %= max(1, len(s.ring))
			s.bytes -= int64(len(b.Data))
			s.give(b.Data)
			return true
		}
		if b.used > 0 {
			b.used--
		}
		s.hand = (s.hand + 1) % len(s.ring)
	}
	return false
}

// give keeps memory for a later block.
func (s *shard) give(data []byte) {
	if len(s.spare) < minBlocks {
		s.spare = append(s.spare, data)
	}
}
