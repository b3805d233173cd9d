package ndarray

import (
	"fmt"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/slab"
)

// A read of at most one block in singleShare, of a chunk with at least singleBytes, reads single
// blocks from storage.
const (
	singleShare = 4
	singleBytes = 32 << 10
)

// touchesFew reports whether so few blocks of the current chunk are needed that they should be read
// from storage without the others.
func (w *worker) touchesFew(blocks int) (info frame.ChunkInfo, ok bool) {
	share := int64(singleShare)
	if w.core.requests > 0 {
		share = 1 // bytes count, and blocks that are near each other are one request
	}
	if n := w.core.part.BlockCount; int64(blocks)*share > n || int64(blocks) == n {
		return info, false
	}
	return w.readsBlocks()
}

// readsBlocks reports whether blocks of the current chunk can be read from storage without the
// others.
func (w *worker) readsBlocks() (info frame.ChunkInfo, ok bool) {
	p := w.core.part
	if w.at.view.Inside().Lends() || w.piece.Chunk >= int64(w.at.view.NumChunks()) {
		return info, false
	}

	info, err := w.at.view.Peek(int(w.piece.Chunk))
	if err != nil || info.Kind != chunk.SpecialNone || info.InIndex || info.CBytes < singleBytes ||
		checkChunk(p, info.Header) != nil ||
		int64(info.Header.Layout().BlockSize) != p.BlockSize || p.BlockCount > int64(info.CBytes) {
		return info, false // reading the whole chunk reports any error
	}
	return info, true
}

// fetch returns the stored bytes of the current chunk and its header, checked against the geometry.
// They are valid until the next call of fetch or releaseLease.
func (w *worker) fetch() ([]byte, chunk.Header, error) {
	number := w.piece.Chunk
	if have := int64(w.at.view.NumChunks()); number >= have {
		return nil, chunk.Header{}, w.core.missingChunk(number, have, w.at.part.ChunkCount)
	}

	w.releaseLease()
	if likely := w.at.likelyStored(); int64(cap(w.encoded)) < likely/2 {
		w.encoded = fresh.Make[byte](likely)
	}

	src, h, err := w.leaseChunk()
	if err != nil {
		return nil, chunk.Header{}, err // the frame has added the place
	}
	if cap(w.encoded) < len(src) && !w.at.view.Inside().Lends() {
		// src may be the frame's own memory all the same, so it is never kept as a buffer.
		w.encoded = fresh.Make[byte](len(src) + len(src)/8)
	}
	return src, h, w.inChunk(checkChunk(w.core.part, h))
}

// releaseLease releases the chunk that was fetched last.
func (w *worker) releaseLease() {
	_ = w.lease.Release() // it can only fail to close a file that was read
}

// The operations of workers on chunks, with the counters of Stats. Clocks are read per chunk, not
// per block, and each worker counts for itself until its call ends.

// leaseChunk fetches the bytes of the current chunk, and parses their header.
func (w *worker) leaseChunk() ([]byte, chunk.Header, error) {
	view := w.at.view.Inside()
	var began time.Time
	if !view.Lends() {
		began = time.Now()
	}

	src, h, err := view.Lease(w.ctx, &w.lease, w.encoded, int(w.piece.Chunk))
	if !began.IsZero() {
		w.tally.ReadTime += time.Since(began)
	}
	return src, h, err
}

// checkChunk rejects a chunk that cannot belong to the array: its size follows from the metalayer
// and the typesize.
func checkChunk(p *grid.Partition, h chunk.Header) error {
	if int64(h.NBytes) != p.ChunkSize {
		return cairn.Corruptf("chunk", 4,
			"it decodes to %d bytes, the geometry of the array wants %d", h.NBytes, p.ChunkSize)
	}
	if h.VLBlocks() {
		return cairn.Corruptf("chunk", 0x1e, "blocks of variable length cannot hold an array")
	}
	return nil
}

// inChunk adds the number of the current chunk and its place in the file to an error about its
// bytes.
func (w *worker) inChunk(err error) error {
	if err == nil {
		return nil
	}

	base := int64(-1)
	if info, err := w.at.view.Peek(int(w.piece.Chunk)); err == nil {
		base = info.Offset
	}
	return w.core.inArray(cairn.InChunk(err, w.piece.Chunk, base))
}

// missingChunk returns the error for a frame that has too few chunks.
func (c *core) missingChunk(number, have, need int64) error {
	return c.inArray(&cairn.CorruptError{Layer: "array", Chunk: number, Offset: -1,
		Reason: fmt.Sprintf("the frame has %d chunks, the shape needs %d", have, need)})
}

// reserveRaw makes room for a decoded chunk in the worker's memory.
func (w *worker) reserveRaw() error {
	if size := w.core.part.ChunkSize; size > w.core.engine.Limits.MaxAlloc {
		return w.core.inArray(fmt.Errorf("chunk %d has %d bytes, MaxAlloc is %d: %w", w.piece.Chunk, size,
			w.core.engine.Limits.MaxAlloc, cairn.ErrLimit))
	}
	w.raw = slab.Resize(w.raw, w.core.part.ChunkSize)
	return nil
}

// decodeRaw decodes a whole chunk into the worker's memory.
func (w *worker) decodeRaw(h *chunk.Header, src []byte) error {
	if err := w.reserveRaw(); err != nil {
		return err
	}
	return w.inChunk(w.decodeWhole(h, w.raw, src))
}

// repeated returns the item that fills the current special chunk, or nil if the repeated bytes are
// not a whole number of items.
func (w *worker) repeated(src []byte) ([]byte, error) {
	item, err := chunk.SpecialItem(w.item[:0], src)
	w.item = item
	if err != nil {
		return nil, w.inChunk(err)
	}

	size := w.core.part.ItemSize
	width := len(w.item)
	if int64(width) > size || size%int64(width) != 0 {
		return nil, nil
	}
	for int64(len(w.item)) < size {
		w.item = append(w.item, w.item[:width]...)
	}
	return w.item, nil
}

// decodeStored decodes blocks of the current chunk, reading only their bytes.
func (w *worker) decodeStored(info *frame.ChunkInfo, want []bool, sink chunk.BlockSink) error {
	began := time.Now()
	err := w.at.view.Inside().DecodeBlocks(w.ctx, w.dec, int(w.piece.Chunk), info.Header, want, sink)
	w.countDecoded(&info.Header, want, began)
	return err
}

// decodeBlocks decodes the wanted blocks of the current chunk from src; a nil want means all.
func (w *worker) decodeBlocks(h *chunk.Header, src []byte, want []bool, sink chunk.BlockSink) error {
	if int64(h.Layout().BlockSize) != w.core.part.BlockSize {
		return w.decodeRecut(h, src, want, sink)
	}
	began := time.Now()
	err := w.dec.DecodeBlocks(*h, src, want, sink)
	w.countDecoded(h, want, began)
	return w.inChunk(err)
}

// decodeRecut is decodeBlocks for a chunk whose block size differs from the metalayer's, which the
// format allows (format: b2nd geometry).
func (w *worker) decodeRecut(h *chunk.Header, src []byte, want []bool, sink chunk.BlockSink) error {
	if err := w.decodeRaw(h, src); err != nil {
		return err
	}

	for b := range int(w.core.part.BlockCount) {
		if want != nil && !want[b] {
			continue
		}
		block := w.block(b)
		if dst := sink.Dst(b, len(block)); dst != nil {
			copy(dst, block)
		} else {
			sink.Put(b, block)
		}
	}
	return nil
}

// block returns a block of the decoded chunk.
func (w *worker) block(b int) []byte {
	size := int(w.core.part.BlockSize)
	return w.raw[b*size:][:size]
}

// decodeWhole decodes the whole chunk src to dst.
func (w *worker) decodeWhole(h *chunk.Header, dst, src []byte) error {
	began := time.Now()
	_, err := w.dec.Decode(dst, src)
	w.countDecoded(h, nil, began)
	return err
}

// countDecoded counts the blocks of a chunk that were decoded.
func (w *worker) countDecoded(h *chunk.Header, want []bool, began time.Time) {
	t := &w.tally
	t.DecodeTime += time.Since(began)
	if h.Special() != chunk.SpecialNone {
		t.ChunksSpecial++
		return
	}

	all := int64(h.Layout().NumBlocks)
	n := all
	if want != nil {
		n = 0
		for _, wanted := range want {
			if wanted {
				n++
			}
		}
	}
	if n == 0 {
		return // a write of whole blocks decodes none
	}

	t.ChunksRead++
	t.BlocksDecoded += n
	t.BlocksSkipped += all - n
	t.BytesDecoded += min(n*int64(h.BlockSize), int64(h.NBytes))
}
