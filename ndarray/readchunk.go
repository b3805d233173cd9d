package ndarray

import (
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray/internal/blockcache"
)

// read copies the plan's items of the current chunk into memory.
func (w *worker) read(dst []byte) error {
	if c := w.at.pendingChunk(w.piece.Chunk); c != nil {
		return w.readPending(c, dst)
	}
	if err := w.at.proxy.require(w.core, w.at.view, &w.piece); err != nil {
		return err
	}
	return w.readFrame(dst)
}

// readPending is read for a chunk with pending blocks, which come from memory; the others come from
// the frame.
func (w *worker) readPending(c *pendingChunk, dst []byte) error {
	if !w.allPending(c) {
		w.skip = c
		err := w.readFrame(dst)
		w.skip = nil
		if err != nil {
			return err
		}
	}

	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		if data := c.blocks[b].data; data != nil {
			w.piece.Scatter(dst, b, data)
		}
	}
	return nil
}

// readFrame is read for a chunk without pending blocks.
func (w *worker) readFrame(dst []byte) error {
	if done, err := w.readCached(dst); done || err != nil {
		return err
	}
	return w.readStored(dst)
}

// readStored is readFrame without a cache. It decodes the blocks that the plan touches, straight
// into the caller's memory where the layout is the same.
func (w *worker) readStored(dst []byte) error {
	w.sink = scatterSink{piece: &w.piece, dense: dst}
	if info, ok := w.touchesFew(w.piece.Blocks()); ok {
		return w.decodeStored(&info, w.touchedBlocks(), &w.sink)
	}

	src, h, err := w.fetch()
	if err != nil {
		return err
	}

	var item []byte // nil for zeros
	switch h.Special() {
	case chunk.SpecialNone:
		return w.decodeBlocks(&h, src, w.wantedBlocks(src), &w.sink)
	case chunk.SpecialZeros, chunk.SpecialUninit:
	default:
		item, err = w.repeated(src)
		if err != nil {
			return err
		}
		if item == nil {
			return w.decodeBlocks(&h, src, w.wantedBlocks(src), &w.sink)
		}
	}

	w.tally.ChunksSpecial++
	w.piece.Fill(dst, item)
	return nil
}

// wantedBlocks returns the mask of the blocks that the box touches, or nil for all. If a chunk is
// too short even to list its blocks, wanted makes no mask: the chunk will fail to decode.
func (w *worker) wantedBlocks(src []byte) []bool {
	if w.skip == nil && int64(w.piece.Blocks()) == w.core.part.BlockCount || w.core.part.BlockCount > int64(len(src)) {
		return nil
	}
	return w.touchedBlocks()
}

// touchedBlocks returns the mask of the blocks that the box touches.
func (w *worker) touchedBlocks() []bool {
	w.want = slab.Resize(w.want, w.core.part.BlockCount)
	clear(w.want)
	grid.Mark(w.piece.Piece, w.want)
	if w.skip != nil {
		w.skip.unmark(w.want)
	}
	return w.want
}

// readCached is readStored with the cache. It reports false if the cache cannot be used, or if the
// read is so large that it would evict everything else.
func (w *worker) readCached(dst []byte) (bool, error) {
	p := w.core.part
	cache := w.core.cache
	met := w.piece.Blocks()
	if cache == nil || int64(len(dst)) > cache.Most || int64(met) > cache.Most/p.BlockSize {
		return false, nil
	}
	key, ok := w.at.view.Inside().Key(int(w.piece.Chunk))
	if !ok {
		return false, nil
	}

	c := &w.cached
	c.blocks = c.blocks[:0]
	c.data = c.data[:0]
	for k := range met {
		b := w.piece.Block(k)
		if w.skip != nil && w.skip.blocks[b].data != nil {
			continue
		}

		found := cache.Get(blockcache.Key{Chunk: key, Block: int32(b)})
		if found == nil {
			w.tally.CacheMisses++
			c.blocks = append(c.blocks, b)
			continue
		}
		w.tally.CacheHits++
		w.piece.Scatter(dst, b, found.Data)
		cache.Release(found)
	}

	if len(c.blocks) == 0 {
		return true, nil
	}
	return w.fillCache(key, dst)
}

// fillCache decodes the missing blocks, copies what the plan needs, and puts them into the cache.
func (w *worker) fillCache(key inside.ChunkKey, dst []byte) (bool, error) {
	p := w.core.part
	info, err := w.at.view.Peek(int(w.piece.Chunk))
	if err != nil || p.BlockCount > int64(info.CBytes) || p.BlockSize > w.core.engine.Limits.MaxAlloc {
		// reading without the cache reports any error; special chunks need no cache
		return false, nil
	}

	c := &w.cached
	slices.Sort(c.blocks)
	w.want = slab.Resize(w.want, p.BlockCount)
	clear(w.want)
	for _, b := range c.blocks {
		w.want[b] = true
		c.data = append(c.data, w.core.cache.Memory(blockcache.Key{Chunk: key, Block: int32(b)}, int(p.BlockSize)))
	}

	if err := w.decodeMissing(c, len(c.blocks)); err != nil {
		clear(c.data)
		return true, err
	}

	for i, b := range c.blocks {
		w.piece.Scatter(dst, b, c.data[i])
		if w.core.cache.Put(blockcache.Key{Chunk: key, Block: int32(b)}, c.data[i]) {
			w.tally.CacheEvictions++
		}
	}
	clear(c.data)
	return true, nil
}

// allPending reports whether all blocks that the box touches are pending.
func (w *worker) allPending(c *pendingChunk) bool {
	for k := range w.piece.Blocks() {
		if c.blocks[w.piece.Block(k)].data == nil {
			return false
		}
	}
	return true
}
