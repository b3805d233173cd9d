package ndarray

import "github.com/cairn-go/cairn/chunk"

// A write that covers blocks in part decodes them from the frame. If that reads the whole chunk,
// because a checksum has to be compared or because many blocks are needed, the pending chunk keeps
// the encoded bytes for further writes and for the flush, as long as there is room in the buffer.
// What is flushed when does not depend on these bytes, so neither does the file.

// decodePending decodes the wanted blocks of the current chunk into those of c; missing is their
// number. b may have memory for the encoded chunk.
func (w *worker) decodePending(c *pendingChunk, missing int, b *writeBuffer) error {
	if spare, ok := b.spareEncoded.Get().(*[]byte); ok && cap(*spare) > cap(w.encoded) {
		w.encoded = *spare
	}
	w.pending = pendingBlocks{c}
	if info, few := w.touchesFew(missing); few && !w.keeps(c) && !w.at.view.Inside().MustCheck(int(c.number)) {
		return w.decodeStored(&info, w.want, &w.pending)
	}
	src, h, err := w.fetchPending(c)
	if err == nil {
		err = w.decodeBlocks(&h, src, w.want, &w.pending)
	}
	if err == nil {
		w.keep(c, src)
	}
	return err
}

// keeps reports whether c keeps the encoded bytes that the frame has.
func (w *worker) keeps(c *pendingChunk) bool {
	if c.encoded == nil {
		return false
	}
	key, ok := w.at.view.Inside().Key(int(c.number))
	return ok && key == c.key
}

// fetchPending is fetch for a chunk that may keep its encoded bytes.
func (w *worker) fetchPending(c *pendingChunk) ([]byte, chunk.Header, error) {
	if !w.keeps(c) {
		return w.fetch()
	}
	h, err := chunk.ParseHeader(c.encoded)
	return c.encoded, h, err
}

// keep makes c keep src, the current chunk, unless it is memory of the frame. Later versions of c
// share the bytes, and so does the version that a rollback returns to, so they are not reused
// before a flush.
func (w *worker) keep(c *pendingChunk, src []byte) {
	view := w.at.view.Inside()
	key, ok := view.Key(int(c.number))
	if !ok || view.Lends() || len(src) == 0 {
		return
	}
	c.encoded, c.key = src, key
	if cap(w.encoded) > 0 && &w.encoded[:1][0] == &src[0] {
		w.encoded = nil
	}
}

// recycleEncoded keeps the memory of the encoded bytes of a flushed chunk, which no other version
// needs any more.
func (b *writeBuffer) recycleEncoded(c *pendingChunk) {
	if spare := c.encoded; spare != nil {
		c.encoded = nil
		b.spareEncoded.Put(&spare)
	}
}

// dropEncoded makes the chunks of pending writes forget encoded bytes that do not fit into the
// buffer beside the blocks.
func (b *writeBuffer) dropEncoded(w *pendingWrites) {
	if !b.keeps {
		return
	}
	b.keeps = false
	if w == nil {
		return
	}
	room := b.budget - w.size()
	for _, c := range w.chunks {
		if room -= int64(cap(c.encoded)); room < 0 {
			c.encoded = nil
		}
		b.keeps = b.keeps || c.encoded != nil
	}
}
