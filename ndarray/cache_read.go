package ndarray

import (
	"slices"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/inside"
)

// cached is what a read has found in the cache, or is about to put there.
type cached struct {
	cache  *blockCache
	blocks []int    // that were missing, by number
	data   [][]byte // of these
}

// Dst returns where a missing block is to be decoded.
func (c *cached) Dst(index, size int) []byte { return c.place(index)[:size] }

// Put has nothing to do: every block has a place.
func (c *cached) Put(int, []byte) {}

func (c *cached) place(block int) []byte {
	i, _ := slices.BinarySearch(c.blocks, block)
	return c.data[i]
}

// readCached does what readStored does with the help of the cache. It reports false if that is not possible, or if the read is so large that it would put
// out everything else.
func (w *worker) readCached(u *Untyped, view *frame.Frame, dst []byte) (bool, error) {
	p, met := u.part, w.piece.Blocks()
	if u.cache == nil || int64(len(dst)) > u.cache.most || int64(met) > u.cache.most/p.BlockSize {
		return false, nil
	}
	key, ok := view.Inside().Key(int(w.piece.Chunk))
	if !ok {
		return false, nil
	}
	c := &w.cached
	c.cache, c.blocks, c.data = u.cache, c.blocks[:0], c.data[:0]
	for k := range met {
		b := w.piece.Block(k)
		if w.over != nil && w.over.blocks[b].data != nil {
			continue
		}
		found := u.cache.get(blockKey{key, int32(b)})
		if found == nil {
			w.tally.CacheMisses++
			c.blocks = append(c.blocks, b)
			continue
		}
		w.tally.CacheHits++
		w.piece.Scatter(dst, b, found.data)
		u.cache.release(found)
	}
	if len(c.blocks) == 0 {
		return true, nil
	}
	return w.fillCache(u, view, key, dst)
}

// fillCache decodes the blocks that were missing, copies what the plan has of them, and puts them into the cache.
func (w *worker) fillCache(u *Untyped, view *frame.Frame, key inside.ChunkKey, dst []byte) (bool, error) {
	p, c := u.part, &w.cached
	if info, err := view.Peek(int(w.piece.Chunk)); err != nil || p.BlockCount > int64(info.CBytes) ||
		p.BlockSize > u.engine.Limits.MaxAlloc {
		return false, nil // reading without a cache will show what is wrong, if something is; a special chunk needs none
	}
	slices.Sort(c.blocks)
	w.want = resize(w.want, int(p.BlockCount))
	clear(w.want)
	for _, b := range c.blocks {
		w.want[b] = true
		c.data = append(c.data, u.cache.memory(blockKey{key, int32(b)}, int(p.BlockSize)))
	}
	err := w.decodeMissing(u, view, c, len(c.blocks))
	for i, b := range c.blocks {
		if err == nil {
			w.piece.Scatter(dst, b, c.data[i])
			if u.cache.put(blockKey{key, int32(b)}, c.data[i]) {
				w.tally.CacheEvictions++
			}
		}
	}
	clear(c.data)
	return true, err
}
