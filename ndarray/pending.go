package ndarray

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// Small writes are buffered in memory as decoded blocks, which hide those of the frame. Many small
// writes to one chunk then cost one encoding of the blocks they touch, when the chunk is flushed:
// put into the frame, which for large writes happens at once. Whatever uses the frame directly
// flushes first (beginFlushedRead, flushTouched). Reads and writes of items know the buffer and do
// not flush (beginRead, beginWrite). A larger shape is buffered too: see buffer_grow.go.

// defaultBufferBytes is the default size of the write buffer: enough for the partly filled last
// chunks of most arrays, and little compared with the memory that encoding needs.
const defaultBufferBytes = 16 << 20

// bufferBytes returns the size of the write buffer of a writable handle, given the number that the
// options ask for.
func bufferBytes(requested int64) int64 {
	if requested <= 0 {
		return defaultBufferBytes
	}
	return requested
}

// writeBuffer holds the pending writes of an array. stateMu protects pending, readStamp and stamp;
// writeMu protects the rest. begin.go explains how they work together.
type writeBuffer struct {
	budget      int64           // bytes that may be pending; 0 disables buffering
	pending     *pendingWrites  // nil if nothing is
	readStamp   uint64          // stamp when the last read began
	stamp       uint64          // of the newest buffered write
	ticks       uint64          // counts writes, to find the oldest chunks
	frameLocked bool            // whether one call of frame.Lock is kept for pending writes
	flushed     []*pendingChunk // whose memory is not used again yet; see recycle
	spare       sync.Pool       // of *[]byte, memory for blocks; see recycle
	keeps       bool            // whether pending chunks keep their encoded bytes
	room        atomic.Int64    // for more of them, beside what is pending after this write

	spareEncoded sync.Pool // of *[]byte, memory for encoded chunks; see recycleEncoded

	// calls of Atomically that are about to begin: nothing is buffered until then
	suspended atomic.Int32
	atomic    bool // whether Atomically is running
}

// recycle keeps the memory of flushed chunks for later writes, except blocks that a reader may
// have. The caller holds stateMu, and no read can begin with the chunks any more.
func (b *writeBuffer) recycle() {
	for _, c := range b.flushed {
		b.recycleEncoded(c)
		for i := range c.blocks {
			if block := c.blocks[i]; block.data != nil && block.stamp > b.readStamp {
				b.spare.Put(&block.data)
			}
		}
	}
	b.flushed = slices.Delete(b.flushed, 0, len(b.flushed))
}

// memory returns memory for a block, with undefined contents.
func (b *writeBuffer) memory(size int64) []byte {
	if spare, ok := b.spare.Get().(*[]byte); ok {
		return *spare
	}
	return fresh.Make[byte](size)
}

// recycleEncoded keeps the memory of the encoded bytes of a flushed chunk, which no other version
// needs any more.
func (b *writeBuffer) recycleEncoded(c *pendingChunk) {
	if spare := c.encoded; spare != nil {
		c.encoded = nil
		b.spareEncoded.Put(&spare)
	}
}

// setRoom sets the room for encoded bytes beside the pending writes w, and added bytes more.
func (b *writeBuffer) setRoom(w *pendingWrites, added int64) {
	room := b.budget - w.size() - added
	if b.keeps && w != nil {
		for _, c := range w.chunks {
			room -= int64(cap(c.encoded))
		}
	}
	b.room.Store(room)
}

// takes reports whether there is room for encoded bytes, and takes it.
func (b *writeBuffer) takes(encoded []byte) bool {
	size := int64(cap(encoded))
	if b.room.Add(-size) >= 0 {
		return true
	}
	b.room.Add(size)
	return false
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
		room -= int64(cap(c.encoded))
		if room < 0 {
			c.encoded = nil
		}
		b.keeps = b.keeps || c.encoded != nil
	}
}

// pendingWrites are the pending writes of one state. It is immutable, except for blocks that no
// reader can have.
type pendingWrites struct {
	// the pending shape, with the same grid of chunks as the frame's; nil if the shape is the
	// frame's
	part   *grid.Partition
	chunks []*pendingChunk // by number
	bytes  int64
}

// pendingChunk is a chunk with pending blocks.
type pendingChunk struct {
	number int64
	blocks []pendingBlock // by number; blocks without data are those of the frame
	count  int            // of pending blocks
	tick   uint64         // of the last write to it

	// The chunk as it is in the frame under a key, if it had to be read as a whole, so that no
	// flush reads it again; else nil. Only writers use it.
	encoded []byte
	key     inside.ChunkKey
}

type pendingBlock struct {
	data  []byte
	stamp uint64
}

// The sizes of the structures on a 64-bit machine. They are used on every machine, so that the same
// writes give the same file everywhere.
const (
	pendingBlockBytes = 32
	pendingChunkBytes = 64
)

// pendingOverhead returns the bytes that a pending chunk takes besides its blocks.
func pendingOverhead(p *grid.Partition) int64 {
	return pendingChunkBytes + p.BlockCount*pendingBlockBytes
}

// bytes returns the bytes that the chunk takes in the buffer.
func (c *pendingChunk) bytes(p *grid.Partition) int64 {
	return pendingOverhead(p) + int64(c.count)*p.BlockSize
}

// chunk returns the pending blocks of a chunk, or nil.
func (w *pendingWrites) chunk(number int64) *pendingChunk {
	if w == nil {
		return nil
	}
	if i, ok := w.find(number); ok {
		return w.chunks[i]
	}
	return nil
}

func (w *pendingWrites) find(number int64) (int, bool) {
	return slices.BinarySearchFunc(w.chunks, number, func(c *pendingChunk, n int64) int {
		return cmp.Compare(c.number, n)
	})
}

// size returns the bytes of all pending writes.
func (w *pendingWrites) size() int64 {
	if w == nil {
		return 0
	}
	return w.bytes
}

// with returns w with newer versions of some chunks.
func (w *pendingWrites) with(p *grid.Partition, newer []*pendingChunk) *pendingWrites {
	next := &pendingWrites{}
	if w != nil {
		*next = *w
		if w.has(newer) {
			return next
		}
		next.chunks = append(make([]*pendingChunk, 0, len(w.chunks)+len(newer)), w.chunks...)
	}

	for _, c := range newer {
		i, ok := next.find(c.number)
		if ok {
			next.bytes -= next.chunks[i].bytes(p)
			next.chunks[i] = c
		} else {
			next.chunks = slices.Insert(next.chunks, i, c)
		}
		next.bytes += c.bytes(p)
	}
	return next
}

// has reports whether w contains exactly these versions of the chunks.
func (w *pendingWrites) has(chunks []*pendingChunk) bool {
	return !slices.ContainsFunc(chunks, func(c *pendingChunk) bool { return w.chunk(c.number) != c })
}

// without returns w without some of its chunks. If none is left it returns nil, and the pending
// shape goes too.
func (w *pendingWrites) without(p *grid.Partition, flushed []*pendingChunk) *pendingWrites {
	if len(flushed) == len(w.chunks) {
		return nil
	}

	next := &pendingWrites{part: w.part}
	for _, c := range w.chunks {
		if !slices.Contains(flushed, c) {
			next.chunks = append(next.chunks, c)
			next.bytes += c.bytes(p)
		}
	}
	return next
}

// oldest returns the chunks to flush so that at most limit bytes are pending: the least recently
// written ones, in the order of their numbers.
func (w *pendingWrites) oldest(p *grid.Partition, limit int64) []*pendingChunk {
	chunks := slices.Clone(w.chunks)
	slices.SortFunc(chunks, func(a, b *pendingChunk) int {
		return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.number, b.number))
	})

	n := 0
	left := w.bytes
	for n < len(chunks) && left > limit {
		left -= chunks[n].bytes(p)
		n++
	}
	chunks = chunks[:n]

	slices.SortFunc(chunks, func(a, b *pendingChunk) int { return cmp.Compare(a.number, b.number) })
	return chunks
}

// regrid returns w for another grid, in which its chunks have the same coordinates but other
// numbers.
func (w *pendingWrites) regrid(from, to *grid.Partition) *pendingWrites {
	if w == nil || from.ChunkGrid == to.ChunkGrid {
		return w
	}

	next := &pendingWrites{bytes: w.bytes, chunks: make([]*pendingChunk, len(w.chunks))}
	for i, c := range w.chunks {
		moved := *c
		moved.number = 0
		rest := c.number
		step := int64(1)
		for k := from.Dims - 1; k >= 0; k-- {
			moved.number += rest % from.ChunkGrid[k] * step
			rest /= from.ChunkGrid[k]
			step *= to.ChunkGrid[k]
		}
		next.chunks[i] = &moved
	}
	return next
}

// unmark removes the pending blocks from those to decode.
func (c *pendingChunk) unmark(want []bool) {
	for b := range want {
		want[b] = want[b] && c.blocks[b].data == nil
	}
}

// pendingBlocks are the pending blocks of a chunk: a sink that decodes others into them, and a
// source for encoding.
type pendingBlocks struct{ chunk *pendingChunk }

// Dst returns where a block is to be decoded.
func (s *pendingBlocks) Dst(index, size int) []byte { return s.chunk.blocks[index].data[:size] }

// Put does nothing: Dst gives every block its place.
func (s *pendingBlocks) Put(int, []byte) {}

// Block returns a pending block.
func (s *pendingBlocks) Block(scratch []byte, index int) []byte {
	return s.chunk.blocks[index].data[:len(scratch)]
}
