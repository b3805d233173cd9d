package blockcache

import "testing"

// TestTheCacheKeepsFrequentBlocks reads more blocks than fit, and keeps reading a few others,
// which must stay.
func TestTheCacheKeepsFrequentBlocks(t *testing.T) {
	c := New(64, 64*64)
	hits := 0
	for i := range int32(4000) {
		for _, k := range []Key{{Block: i % 8}, {Block: 100 + i}} {
			if b := c.Get(k); b != nil {
				if b.Data[0] != byte(k.Block) {
					t.Fatal("another block")
				}
				c.Release(b)
				hits++
				continue
			}
			data := c.Memory(k, 64)
			data[0] = byte(k.Block)
			c.Put(k, data)
		}
	}
	if hits < 3800 {
		t.Errorf("%d hits of 4000", hits)
	}
	kept := 0
	for i := range c.shards {
		kept += len(c.shards[i].index)
		if len(c.shards[i].index) != len(c.shards[i].ring) {
			t.Error("the index and the ring of a shard differ")
		}
	}
	if kept > 64 {
		t.Errorf("%d blocks in the place of 64", kept)
	}
	if New(64, 100) != nil {
		t.Error("a cache of nothing")
	}
}

// TestArraysShareAPool puts blocks of several sizes, with the same keys for different arrays.
func TestArraysShareAPool(t *testing.T) {
	p := NewPool(1 << 20)
	caches := []*Cache{p.Cache(), p.Cache(), p.Cache()}
	put := func(c *Cache, owner byte, block int32, size int) {
		k := Key{Block: block}
		data := c.Memory(k, size)
		data[0] = owner
		c.Put(k, data)
	}
	for i := range int32(1000) {
		for owner, c := range caches {
			put(c, byte(owner), i, 1000<<(owner*2))
			if b := c.Get(Key{Block: i}); b != nil {
				if b.Data[0] != byte(owner) || len(b.Data) != 1000<<(owner*2) {
					t.Fatalf("array %d has the block of another", owner)
				}
				c.Release(b)
			}
		}
	}
	for i := range p.of.shards {
		s, bytes := &p.of.shards[i], int64(0)
		for _, b := range s.ring {
			bytes += int64(len(b.Data))
		}
		if bytes != s.bytes || bytes > s.room || len(s.ring) != len(s.index) || bytes < s.room/2 {
			t.Errorf("%d bytes in %d blocks, %d counted, room for %d", bytes, len(s.ring), s.bytes, s.room)
		}
	}
	if c := caches[0]; c.Put(Key{}, make([]byte, 2<<20)) || c.Get(Key{}) != nil && len(c.Get(Key{}).Data) > 1<<20 {
		t.Error("a block larger than the pool was kept")
	}
}
