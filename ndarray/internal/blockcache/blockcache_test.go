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
