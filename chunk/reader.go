package chunk

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/shuffle"
)

// chunkReader decodes one chunk.
type chunkReader struct {
	decoder    *Decoder
	header     Header
	src        []byte // the chunk and maybe more; if partial, what a fetcher has read of it
	partial    bool
	gap        int // how much further from the chunk's beginning the blocks are than in src
	layout     Layout
	first, end int    // range of blocks to consider
	want       []bool // which of them to decode; nil means all
	ends       []int  // where blocks end in src if only parts of src were read; else nil
	dictEnd    int    // limit for the end of the dictionary if only parts of src were read; else 0
	body       int    // smallest valid block offset: the end of the offset table and the dictionary
	sink       BlockSink
}

func (c *chunkReader) wanted(i int) bool { return c.want == nil || c.want[i] }

func (c *chunkReader) decode() error {
	if c.sink == nil {
		c.sink = discard{}
	}

	done := false
	defer func() { c.release(done) }()
	err := c.decodeChunk()
	done = true
	return err
}

func (c *chunkReader) decodeChunk() error {
	h := &c.header
	if err := c.decoder.checkSizes(h, c.src, c.partial); err != nil {
		return err
	}

	if !c.partial {
		c.src = c.src[:h.CBytes]
	}
	if h.NBytes == 0 {
		return nil
	}

	switch {
	case h.Special() != SpecialNone:
		return c.special()
	case h.Memcpyed() && int64(h.CBytes) == int64(h.Size())+int64(h.NBytes):
		c.memcpyed()
		return nil
	case h.Memcpyed() && !invalidSmall(h):
		return cairn.Corruptf(layerChunk, 12, "memcpyed, but %d bytes are encoded as %d", h.NBytes, h.CBytes)
	}
	return c.regular()
}

// checkSizes checks that the chunk is complete, unless src has only parts of it, and within the
// limits.
func (d *Decoder) checkSizes(h *Header, src []byte, partial bool) error {
	if !partial && int64(h.CBytes) > int64(len(src)) {
		return shortChunk(h, src)
	}
	if limit := d.limits.MaxChunk; int64(h.NBytes) > limit || int64(h.CBytes) > limit {
		return fmt.Errorf("decode chunk: %d bytes, encoded %d: %w: MaxChunk is %d", h.NBytes, h.CBytes,
			cairn.ErrLimit, limit)
	}
	return nil
}

// release drops references to the caller's memory and returns the workspaces to the pool, but not
// after a panic, when a codec may be in an undefined state.
func (c *chunkReader) release(done bool) {
	c.src = nil
	c.want = nil
	c.ends = nil
	c.sink = nil
	for _, w := range c.decoder.workers {
		clear(w.planes[:])
		w.codec = nil
		w.borrowedSpace.release(done)
	}
}

// invalidSmall recognises what C-Blosc2 writes for fewer than 32 bytes with a dictionary: a header
// with the memcpyed flag over a compressed body. The body has split blocks and uses the codec of
// the codec byte (format: chunk defects).
func invalidSmall(h *Header) bool {
	return headerFlags(h.Flags).extended() && h.NBytes < minCompressedSize
}

func shortChunk(h *Header, src []byte) error {
	return cairn.Corruptf(layerChunk, 12, "the header says %d bytes, %d are there", h.CBytes, len(src))
}

// place returns where to decode block i: the sink's memory, or a worker's memory if put is true.
func (c *chunkReader) place(w *blockDecoder, i int) (dst []byte, put bool, err error) {
	from, to := c.layout.Block(i)
	if dst = c.sink.Dst(i, to-from); dst != nil {
		return dst[:to-from], false, nil
	}
	if int64(to-from) > c.decoder.limits.MaxAlloc {
		return nil, false, fmt.Errorf("decode chunk: blocks of %d bytes: %w: MaxAlloc is %d", to-from,
			cairn.ErrLimit, c.decoder.limits.MaxAlloc)
	}

	space := w.acquire()
	space.block = slab.Resize(space.block, to-from)
	return space.block, true, nil
}

// memcpyed delivers the payload. If it goes to one piece of memory, it is copied without dividing
// it into blocks, because a hostile header can demand a billion of them.
func (c *chunkReader) memcpyed() {
	payload := c.src[c.header.Size():]
	if span, ok := c.sink.(*spanSink); ok {
		c.decoder.copy(span.dst, payload[span.lo:span.hi])
		return
	}

	for i := c.first; i < c.end; i++ {
		if !c.wanted(i) {
			continue
		}
		from, to := c.layout.Block(i)
		block := payload[from-c.gap : to-c.gap]
		if dst := c.sink.Dst(i, to-from); dst != nil {
			copy(dst, block)
		} else {
			c.sink.Put(i, block)
		}
	}
}

// copyPiece is the size of the pieces that workers copy. Two workers copy faster than one.
const copyPiece = 128 << 10

// copy copies src to dst on all workers.
func (d *Decoder) copy(dst, src []byte) {
	if len(d.workers) == 1 || len(src) < 2*copyPiece {
		// From 1 MiB on, copy on amd64 writes past the caches, at half the speed.
		for from := 0; from < len(src); from += copyPiece {
			copy(dst[from:], src[from:min(from+copyPiece, len(src))])
		}
		return
	}
	// the function never returns an error
	_ = parallel.For(context.Background(), len(d.workers), (len(src)-1)/copyPiece+1, func(_, i int) error {
		from := i * copyPiece
		copy(dst[from:], src[from:min(from+copyPiece, len(src))])
		return nil
	})
}

// special fills the blocks with the chunk's repeated item.
func (c *chunkReader) special() error {
	w := c.decoder.workers[0]
	var err error
	if w.item, err = SpecialItem(w.item, c.src); err != nil {
		return err
	}

	if span, ok := c.sink.(*spanSink); ok {
		pattern(span.dst, w.item, span.lo%len(w.item))
		return nil
	}

	for i := c.first; i < c.end; i++ {
		if !c.wanted(i) {
			continue
		}
		dst, put, err := c.place(w, i)
		if err != nil {
			return err
		}
		from, _ := c.layout.Block(i)
		pattern(dst, w.item, from%len(w.item))
		if put {
			c.sink.Put(i, dst)
		}
	}
	return nil
}

func (c *chunkReader) regular() error {
	h := &c.header

	d := c.decoder
	if err := checkTable(h, c.layout.NumBlocks, len(c.src)); err != nil {
		return err
	}

	row, err := d.opts.Codecs.Lookup(h.Codec.ID())
	if err != nil {
		return err
	}

	workers := d.workers[:max(1, c.upTo(len(d.workers)))]
	for _, w := range workers {
		if err := w.begin(d, h, row); err != nil {
			return err
		}
	}

	c.body = h.Size() + 4*c.layout.NumBlocks
	if h.HasDict() {
		if err := c.setDict(workers, row); err != nil {
			return err
		}
	}

	var ref []byte
	if d.workers[0].chain.Has(shuffle.IDDelta) && !h.VLBlocks() {
		if ref, err = c.reference(); err != nil {
			return err
		}
	}

	if len(workers) == 1 {
		for i := c.first; i < c.end; i++ {
			err := c.decoder.watched.err()
			if err != nil {
				return err
			}

			if err = c.one(c.decoder.workers[0], i, ref); err != nil {
				return err
			}
		}
		return nil
	}
	return c.inParallel(workers, ref)
}

// upTo returns the number of wanted blocks, or most if there are more.
func (c *chunkReader) upTo(most int) (n int) {
	for i := c.first; i < c.end && n < most; i++ {
		if c.wanted(i) {
			n++
		}
	}
	return n
}

// checkTable checks that a chunk of size bytes is long enough for the offsets of n blocks.
func checkTable(h *Header, n, size int) error {
	if int64(h.Size())+4*int64(n) > int64(size) {
		return cairn.Corruptf(layerChunk, 8, "offsets of %d blocks do not fit into %d bytes", n, size)
	}
	return nil
}

// begin prepares a worker for the chunk.
func (w *blockDecoder) begin(d *Decoder, h *Header, row codecs.Row) error {
	pipeline := h.Pipeline
	if bloscFlags(h.BloscFlags).instrumented() {
		pipeline = shuffle.Pipeline{} // measurements are never filtered
	}
	if err := w.chain.Set(pipeline, d.opts.Engine.Filters); err != nil {
		return err
	}

	w.ctx = shuffle.Context{TypeSize: int(h.TypeSize), Version: h.Version,
		FrameTypeSize: cmp.Or(d.opts.FrameTypeSize, int(h.TypeSize)), BlockShape: d.opts.BlockShape}
	if d.opts.OldBitshuffle && h.Version == versionBeta {
		w.ctx.Version = versionAlpha
	}

	params := codecs.Params{Meta: h.Codec.Parameter(), TypeSize: int(h.TypeSize)}
	if row.Shaped {
		params.BlockShape = d.opts.BlockShape
	}

	var err error
	w.codec, err = w.acquire().decoder(&row, params)
	return err
}

// reference decodes block 0, the delta reference of all others.
func (c *chunkReader) reference() ([]byte, error) {
	d := c.decoder
	if c.layout.NumBlocks == 1 {
		return nil, nil
	}
	if int64(c.layout.BlockSize) > d.limits.MaxAlloc {
		return nil, fmt.Errorf("decode chunk: blocks of %d bytes: %w: MaxAlloc is %d", c.layout.BlockSize,
			cairn.ErrLimit, d.limits.MaxAlloc)
	}

	space := d.workers[0].space
	space.lead = slab.Resize(space.lead, c.layout.BlockSize)
	return space.lead, c.decodeBlock(d.workers[0], space.lead, 0, nil)
}

func (c *chunkReader) decodeBlock(w *blockDecoder, dst []byte, i int, ref []byte) error {
	src, at, err := c.streams(i)
	if err != nil {
		return err
	}
	if c.header.VLBlocks() {
		// Fill dst with the block that begins at src[at] and ends with src. The caller has
		// checked that its size is len(dst). Blocks of variable length have no delta
		// reference.
		in, pitch := w.chain.Input(&w.space.scratch, dst, 1)
		row := in[:len(dst)]
		stream := src[at+4:]
		if len(stream) == len(dst) {
			copy(row, stream)
		} else if err := w.codec.Decode(row, stream); err != nil {
			return wrapBlock(at+4, i, "stream", err)
		}

		w.ctx.Ref = nil
		if err := w.chain.Backward(dst, &w.space.scratch, in, pitch, 1, &w.ctx); err != nil {
			return wrapBlock(at, i, "filters", err)
		}
		return nil
	}
	return c.inChunk(w.decode(dst, src, at, i, c.header.streams(c.layout, i), ref))
}

// inChunk corrects the offset in an error about the bytes of a block.
func (c *chunkReader) inChunk(err error) error {
	if err == nil || c.gap == 0 {
		return err
	}
	return wire.Moved(err, int64(c.gap))
}

// streams returns where a block's streams are in src, and src up to the limit of their end.
func (c *chunkReader) streams(i int) (src []byte, at int, err error) {
	size := len(c.src)
	if c.partial {
		size = int(c.header.CBytes)
	}

	at, err = c.header.blockOffset(c.src, size, c.body, i)
	src = c.src
	at -= c.gap

	switch {
	case err != nil:
	case c.ends != nil:
		src = src[:c.ends[i]-c.gap]
	case c.header.VLBlocks():
		src = src[:c.header.endVL(src, i)]
	}
	return src, at, err
}

func (c *chunkReader) inParallel(workers []*blockDecoder, ref []byte) error {
	return parallel.For(c.decoder.watched.context(), len(workers), c.end-c.first,
		func(worker, i int) error {
			return c.one(workers[worker], c.first+i, ref)
		})
}

// one decodes block i if it is wanted.
func (c *chunkReader) one(w *blockDecoder, i int, ref []byte) error {
	if !c.wanted(i) {
		return nil
	}

	if i == 0 && ref != nil {
		if dst := c.sink.Dst(0, len(ref)); dst != nil {
			copy(dst, ref)
		} else {
			c.sink.Put(0, ref)
		}
		return nil
	}

	dst, put, err := c.place(w, i)
	if err != nil {
		return err
	}

	if i == 0 {
		ref = nil
	}
	if put {
		return c.deliver(w, dst, i, ref)
	}
	return c.decodeBlock(w, dst, i, ref)
}
