package ndarray

import (
	"slices"

	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/ndarray/internal/blockcache"
)

// cached is what a read has found in the cache, or is about to put there.
type cached struct {
	cache  *blockcache.Cache
	blocks []int    // that were missing, by number
	data   [][]byte // of these
}

// Dst returns where a missing block is to be decoded.
func (c *cached) Dst(index, size int) []byte {
	i, _ := slices.BinarySearch(c.blocks, index)
	return c.data[i][:size]
}

// Put has nothing to do: every block has a place.
func (c *cached) Put(int, []byte) {}

// readCached does what readStored does with the help of the cache. It reports false if that is not
// possible, or if the read is so large that it would put out everything else.
func (w *worker) readCached(dst []byte) (bool, error) {
	p, met := w.of.part, w.piece.Blocks()
	if w.of.cache == nil || int64(len(dst)) > w.of.cache.Most || int64(met) > w.of.cache.Most/p.BlockSize {
		return false, nil
	}
	key, ok := w.at.view.Inside().Key(int(w.piece.Chunk))
	if !ok {
		return false, nil
	}
	c := &w.cached
	c.cache, c.blocks, c.data = w.of.cache, c.blocks[:0], c.data[:0]
	for k := range met {
		b := w.piece.Block(k)
		if w.over != nil && w.over.blocks[b].data != nil {
			continue
		}
		found := w.of.cache.Get(blockcache.Key{Chunk: key, Block: int32(b)})
		if found == nil {
			w.tally.CacheMisses++
			c.blocks = append(c.blocks, b)
			continue
		}
		w.tally.CacheHits++
		w.piece.Scatter(dst, b, found.Data)
		w.of.cache.Release(found)
	}
	if len(c.blocks) == 0 {
		return true, nil
	}
	return w.fillCache(key, dst)
}

// fillCache decodes the blocks that were missing, copies what the plan has of them, and puts them
// into the cache.
func (w *worker) fillCache(key inside.ChunkKey, dst []byte) (bool, error) {
	p, c := w.of.part, &w.cached
	if info, err := w.at.view.Peek(int(w.piece.Chunk)); err != nil || p.BlockCount > int64(info.CBytes) ||
		p.BlockSize > w.of.engine.Limits.MaxAlloc {
		// reading without a cache will show what is wrong, if something is; a special chunk needs
		// none
		return false, nil
	}
	slices.Sort(c.blocks)
	w.want = resize(w.want, int(p.BlockCount))
	clear(w.want)
	for _, b := range c.blocks {
		w.want[b] = true
		c.data = append(c.data, w.of.cache.Memory(blockcache.Key{Chunk: key, Block: int32(b)}, int(p.BlockSize)))
	}
	err := w.decodeMissing(c, len(c.blocks))
	for i, b := range c.blocks {
		if err == nil {
			w.piece.Scatter(dst, b, c.data[i])
			if w.of.cache.Put(blockcache.Key{Chunk: key, Block: int32(b)}, c.data[i]) {
				w.tally.CacheEvictions++
			}
		}
	}
	clear(c.data)
	return true, err
}
