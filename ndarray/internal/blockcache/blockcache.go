// Package blockcache keeps decoded blocks in a bounded amount of memory.
package blockcache

import (
	"sync"

	"github.com/cairn-go/cairn/internal/inside"
)

// A Cache keeps decoded blocks of an array and its snapshots for later reads. The key of a block
// identifies content that never changes, so entries never need invalidation. Each shard uses the
// clock algorithm: a hand goes round the blocks, decrements the use count of those that were used,
// and evicts the first whose count is 0. New blocks start at 0, so blocks that are read once are
// evicted before those that are read again.
type Cache struct {
	// the most bytes of one read that are kept; larger reads would evict everything else
	Most   int64
	shards []shard
}

type shard struct {
	mu    sync.Mutex
	index map[Key]*Block
	ring  []*Block // at most room blocks
	room  int
	hand  int
	spare [][]byte // memory of evicted blocks
	_     [64]byte // shards do not share cache lines
}

// A Key identifies a block of a chunk.
type Key struct {
	Chunk inside.ChunkKey
	Block int32
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
	c := &Cache{Most: bytes / 4, shards: make([]shard, cacheShards)}
	for bytes/blockSize < int64(len(c.shards)*minBlocks) {
		c.shards = c.shards[:len(c.shards)/2]
	}
	for i := range c.shards {
		c.shards[i].room = int(bytes / blockSize / int64(len(c.shards)))
		c.shards[i].index = map[Key]*Block{}
	}
	return c
}

// of returns the shard of a block. Adjacent blocks belong to different shards.
func (c *Cache) of(k Key) *shard {
	h := (k.Chunk.Hash() + uint64(k.Block)) * 0x9e37_79b9_7f4a_7c15
	return &c.shards[h>>32&uint64(len(c.shards)-1)]
}

// Get returns a block, or nil. The caller must release it.
func (c *Cache) Get(k Key) *Block {
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
	s := c.of(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.spare); n > 0 {
		b := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return b
	}
	return make([]byte, size)
}

// Put adds a block and reports whether it evicted another one. The cache owns data from then on.
func (c *Cache) Put(k Key, data []byte) (evicted bool) {
	s := c.of(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index[k] != nil || len(s.ring) == s.room && !s.evict() {
		s.give(data)
		return false
	}
	b := &Block{key: k, Data: data}
	s.index[k] = b
	if len(s.ring) < s.room {
		s.ring = append(s.ring, b)
		return false
	}
	s.ring[s.hand] = b
	s.hand = (s.hand + 1) % len(s.ring)
	return true
}

// evict removes the block that the hand stops at, so that another can take its place. It reports
// false if all blocks are in use.
func (s *shard) evict() bool {
	for range (maxUsed + 1) * len(s.ring) {
		b := s.ring[s.hand]
		if b.used == 0 && b.pins == 0 {
			delete(s.index, b.key)
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
