package ndarray

import (
	"sync"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
)

// A blockCache keeps decoded blocks for reads that meet them again, an array's and its snapshots' alike. Blocks are known by what never changes its content, so that
// nothing ever has to be taken out. Each shard is a clock: a hand goes round its blocks, takes one off the count of those that were used since it came by last, and puts
// those that were not out. New blocks begin at nothing, so that what is read once goes before what is read again.
type blockCache struct {
	most   int64 // bytes that one read may have to be kept; those of larger ones would put everything else out
	shards []cacheShard
}

type cacheShard struct {
	mu    sync.Mutex
	index map[blockKey]*cacheBlock
	ring  []*cacheBlock // of at most room
	room  int
	hand  int
	spare [][]byte // memory of blocks that were put out
	_     [64]byte // shards do not share cache lines
}

type blockKey struct {
	chunk inside.ChunkKey
	block int32
}

type cacheBlock struct {
	key  blockKey
	data []byte
	used uint8 // how often, at most mostUsed
	pins int   // readers that are at it
}

const (
	cacheShards = 16
	leastBlocks = 4 // of a shard
	mostUsed    = 3
)

// newBlockCache returns a cache of so many bytes for an array's blocks, nil if they are too few.
func newBlockCache(p *grid.Partition, bytes int64) *blockCache {
	if p.BlockSize <= 0 || bytes/p.BlockSize < leastBlocks {
		return nil
	}
	c := &blockCache{most: bytes / 4, shards: make([]cacheShard, cacheShards)}
	for bytes/p.BlockSize < int64(len(c.shards)*leastBlocks) {
		c.shards = c.shards[:len(c.shards)/2]
	}
	for i := range c.shards {
		c.shards[i].room = int(bytes / p.BlockSize / int64(len(c.shards)))
		c.shards[i].index = map[blockKey]*cacheBlock{}
	}
	return c
}

// shard returns where a block belongs. Neighbours belong to different shards.
func (c *blockCache) shard(k blockKey) *cacheShard {
	h := (k.chunk.Hash() + uint64(k.block)) * 0x9e37_79b9_7f4a_7c15
	return &c.shards[h>>32&uint64(len(c.shards)-1)]
}

// get returns a block, or nil. It must be released.
func (c *blockCache) get(k blockKey) *cacheBlock {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.index[k]
	if b != nil {
		b.used = min(b.used+1, mostUsed)
		b.pins++
	}
	return b
}

func (c *blockCache) release(b *cacheBlock) {
	s := c.shard(b.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	b.pins--
}

// memory returns memory for a block that will be put.
func (c *blockCache) memory(k blockKey, size int) []byte {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.spare); n > 0 {
		b := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return b
	}
	return make([]byte, size)
}

// put adds a block, whose memory is the cache's from then on, and reports whether another one had to go for it.
func (c *blockCache) put(k blockKey, data []byte) (evicted bool) {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index[k] != nil || len(s.ring) == s.room && !s.evict() {
		s.give(data)
		return false
	}
	b := &cacheBlock{key: k, data: data}
	s.index[k] = b
	if len(s.ring) < s.room {
		s.ring = append(s.ring, b)
		return false
	}
	s.ring[s.hand] = b
	s.hand = (s.hand + 1) % len(s.ring)
	return true
}

// evict puts out the block that the hand stops at, and leaves its place to another one. It reports false if readers are at all of them.
func (s *cacheShard) evict() bool {
	for range (mostUsed + 1) * len(s.ring) {
		b := s.ring[s.hand]
		if b.used == 0 && b.pins == 0 {
			delete(s.index, b.key)
			s.give(b.data)
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
func (s *cacheShard) give(data []byte) {
	if len(s.spare) < leastBlocks {
		s.spare = append(s.spare, data)
	}
}
