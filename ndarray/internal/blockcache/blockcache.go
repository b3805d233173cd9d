// Package blockcache keeps decoded blocks in a bounded amount of memory.
package blockcache

import (
	"sync"

	"github.com/cairn-go/cairn/internal/inside"
)

// A Cache keeps decoded blocks for reads that meet them again, an array's and its snapshots' alike.
// Blocks are known by what never changes its content, so that nothing ever has to be taken out.
// Each shard is a clock: a hand goes round its blocks, takes one off the count of those that were
// used since it came by last, and puts those that were not out. New blocks begin at nothing, so
// that what is read once goes before what is read again.
type Cache struct {
	// bytes that one read may have to be kept; those of larger ones would put everything else out
	Most   int64
	shards []shard
}

type shard struct {
	mu    sync.Mutex
	index map[Key]*Block
	ring  []*Block // of at most room
	room  int
	hand  int
	spare [][]byte // memory of blocks that were put out
	_     [64]byte // shards do not share cache lines
}

// A Key says which block of which chunk it is.
type Key struct {
	Chunk inside.ChunkKey
	Block int32
}

// A Block is a decoded block.
type Block struct {
	key  Key
	Data []byte // not to be changed
	used uint8  // how often, at most mostUsed
	pins int    // readers that are at it
}

const (
	cacheShards = 16
	leastBlocks = 4 // of a shard
	mostUsed    = 3
)

// New returns a cache of so many bytes for blocks of a size, nil if they are too few.
func New(blockSize, bytes int64) *Cache {
	if blockSize <= 0 || bytes/blockSize < leastBlocks {
		return nil
	}
	c := &Cache{Most: bytes / 4, shards: make([]shard, cacheShards)}
	for bytes/blockSize < int64(len(c.shards)*leastBlocks) {
		c.shards = c.shards[:len(c.shards)/2]
	}
	for i := range c.shards {
		c.shards[i].room = int(bytes / blockSize / int64(len(c.shards)))
		c.shards[i].index = map[Key]*Block{}
	}
	return c
}

// of returns where a block belongs. Neighbours belong to different shards.
func (c *Cache) of(k Key) *shard {
	h := (k.Chunk.Hash() + uint64(k.Block)) * 0x9e37_79b9_7f4a_7c15
	return &c.shards[h>>32&uint64(len(c.shards)-1)]
}

// Get returns a block, or nil. It must be released.
func (c *Cache) Get(k Key) *Block {
	s := c.of(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.index[k]
	if b != nil {
		b.used = min(b.used+1, mostUsed)
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

// Memory returns memory for a block that will be put.
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

// Put adds a block, whose memory is the cache's from then on, and reports whether another one had
// to go for it.
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

// evict puts out the block that the hand stops at, and leaves its place to another one. It reports
// false if readers are at all of them.
func (s *shard) evict() bool {
	for range (mostUsed + 1) * len(s.ring) {
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

// give keeps memory for another block.
func (s *shard) give(data []byte) {
	if len(s.spare) < leastBlocks {
		s.spare = append(s.spare, data)
	}
}
