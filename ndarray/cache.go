package ndarray

import (
	"slices"

	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray/internal/blockcache"
)

// A Cache keeps decoded blocks of all arrays that are opened with it, in a bounded amount of
// memory: a program that has thousands of arrays open gives it to each of them. Blocks that are
// read often stay, whichever array they are of. Reads of more than a quarter of its size bypass it.
// Any number of goroutines and arrays may use it.
type Cache struct{ pool *blockcache.Pool }

// NewCache returns a cache of the given number of bytes, for [OpenOptions.Cache] and
// [Options.Cache].
func NewCache(bytes int64) *Cache { return &Cache{blockcache.NewPool(max(0, bytes))} }

// newCache returns the cache of an array: its share of one that is given, or its own, or nil.
func newCache(given *Cache, blockSize, bytes int64) *blockcache.Cache {
	if given != nil && given.pool != nil {
		return given.pool.Cache()
	}
	return blockcache.New(blockSize, bytes)
}

// cacheSink are the blocks that a read did not find in the cache, and will put there.
type cacheSink struct {
	blocks []int    // numbers of the missing blocks
	data   [][]byte // their decoded bytes
}

// Dst returns where a missing block is to be decoded.
func (c *cacheSink) Dst(index, size int) []byte {
	i, _ := slices.BinarySearch(c.blocks, index)
	return c.data[i][:size]
}

// Put does nothing: Dst gives every block its place.
func (c *cacheSink) Put(int, []byte) {}

// readCached is readStored with the cache. It reports false if the cache cannot be used, or if the
// read is so large that it would evict everything else.
func (w *worker) readCached(dst []byte) (bool, error) {
	p, met := w.array.part, w.piece.Blocks()
	if w.array.cache == nil || int64(len(dst)) > w.array.cache.Most || int64(met) > w.array.cache.Most/p.BlockSize {
		return false, nil
	}
	key, ok := w.at.view.Inside().Key(int(w.piece.Chunk))
	if !ok {
		return false, nil
	}
	c := &w.cached
	c.blocks, c.data = c.blocks[:0], c.data[:0]
	for k := range met {
		b := w.piece.Block(k)
		if w.skip != nil && w.skip.blocks[b].data != nil {
			continue
		}
		found := w.array.cache.Get(blockcache.Key{Chunk: key, Block: int32(b)})
		if found == nil {
			w.tally.CacheMisses++
			c.blocks = append(c.blocks, b)
			continue
		}
		w.tally.CacheHits++
		w.piece.Scatter(dst, b, found.Data)
		w.array.cache.Release(found)
	}
	if len(c.blocks) == 0 {
		return true, nil
	}
	return w.fillCache(key, dst)
}

// fillCache decodes the missing blocks, copies what the plan needs, and puts them into the cache.
func (w *worker) fillCache(key inside.ChunkKey, dst []byte) (bool, error) {
	p, c := w.array.part, &w.cached
	if info, err := w.at.view.Peek(int(w.piece.Chunk)); err != nil || p.BlockCount > int64(info.CBytes) ||
		p.BlockSize > w.array.engine.Limits.MaxAlloc {
		// reading without the cache reports any error; special chunks need no cache
		return false, nil
	}
	slices.Sort(c.blocks)
	w.want = slab.Resize(w.want, p.BlockCount)
	clear(w.want)
	for _, b := range c.blocks {
		w.want[b] = true
		c.data = append(c.data, w.array.cache.Memory(blockcache.Key{Chunk: key, Block: int32(b)}, int(p.BlockSize)))
	}
	err := w.decodeMissing(c, len(c.blocks))
	for i, b := range c.blocks {
		if err == nil {
			w.piece.Scatter(dst, b, c.data[i])
			if w.array.cache.Put(blockcache.Key{Chunk: key, Block: int32(b)}, c.data[i]) {
				w.tally.CacheEvictions++
			}
		}
	}
	clear(c.data)
	return true, err
}
